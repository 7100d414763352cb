import { findPhoneNumber, REMOVERS } from '@parley/contracts';
import { conflict, notFound, unlessNotFound } from '@parley/kit/errors';
import { type ChangedBy, type ServiceClient, toOffsetPage } from '@parley/kit/http';
import type { Idempotency } from '@parley/kit/idempotency';
import { newId } from '@parley/kit/ids';
import { type Clock, toIsoMillis } from '@parley/kit/time';
import type { Page } from '../page.ts';
import type { RemovalJob, RemovalJobs } from './removal-jobs.store.ts';

export type ErasureDeps = { removals: RemovalJobs; clock: Clock; telephony: Pick<ServiceClient, 'call'> };

export type ErasureRequest = {
  workspaceId: string;
  phoneNumber: string;
  keepDoNotCall: boolean;
  requestedBy: string;
  by: ChangedBy;
};

/** Queues the erasure of a person [trust.19]. */
export async function createErasure(
  { removals, clock, telephony }: ErasureDeps,
  request: ErasureRequest,
  idempotency: Idempotency,
): Promise<ReturnType<typeof toErasure>> {
  if (await isOwnNumber(telephony, request)) {
    throw conflict(
      'This is a phone number of the workspace itself: delete it with DELETE /v1/phone-number/{id} first',
    );
  }
  const erasure = { id: newId(), ...request, createdAt: clock.now() };
  return removals.addErasure(erasure, (tx, job) => idempotency.answer(tx, toErasure(job)));
}

async function isOwnNumber(
  telephony: Pick<ServiceClient, 'call'>,
  { workspaceId, phoneNumber }: ErasureRequest,
): Promise<boolean> {
  const number = telephony.call(findPhoneNumber, { params: { phone_number: phoneNumber } }, { workspaceId });
  return (await unlessNotFound(number)) !== undefined;
}

export async function getErasure(
  { removals }: Pick<ErasureDeps, 'removals'>,
  { workspaceId, id }: { workspaceId: string; id: string },
): Promise<ReturnType<typeof toErasure>> {
  const job = await removals.find(workspaceId, id);
  if (!job) throw notFound('Erasure');
  return toErasure(job);
}

export async function listErasures(
  { removals }: Pick<ErasureDeps, 'removals'>,
  workspaceId: string,
  page: Page,
) {
  const { items, total } = await removals.list(workspaceId, page);
  return toOffsetPage(page, { items: items.map(toErasure), total });
}

export function toErasure(job: RemovalJob) {
  return {
    id: job.id,
    status: job.status,
    number_ending: job.numberEnding ?? '',
    keep_do_not_call: job.keepDoNotCall,
    waiting_for: job.waitingFor,
    receipt: receiptOf(job),
    requested_by: job.requestedBy,
    created_at: toIsoMillis(job.createdAt),
    completed_at: job.completedAt && toIsoMillis(job.completedAt),
  };
}

/** No part is completed before the job, since a further pass may still find data there. */
export function receiptOf(job: Pick<RemovalJob, 'receipt' | 'status'>) {
  return REMOVERS.map((service) => {
    const part = job.receipt[service];
    const status: 'waiting' | 'running' | 'completed' =
      job.status === 'completed' ? 'completed' : part ? 'running' : 'waiting';
    const removed = Object.entries(part?.removed ?? {}).map(([place, count]) => ({ place, count }));
    return { service, status, removed, kept: part?.kept ?? [] };
  });
}
