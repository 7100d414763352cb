import {
  type CampaignStatus,
  type ContactInput,
  contactsAppend,
  type appendContacts as endpoint,
  type ResponseOf,
} from '@parley/contracts';
import type { WakeUp } from '@parley/kit/concurrency';
import { conflict, parseInput } from '@parley/kit/errors';
import type { CallContext } from '@parley/kit/http';
import type { Idempotency } from '@parley/kit/idempotency';
import type { Clock } from '@parley/kit/time';
import { z } from 'zod';
import type { CampaignStore } from '../campaigns/campaigns.store.ts';
import { campaignNotFound } from '../campaigns/read-campaigns.ts';
import type { ImportContacts, ImportedContacts, ImportTransaction } from '../uploads/import-contacts.ts';
import { readUpload } from '../uploads/read-upload.ts';

export type AppendDeps = {
  campaigns: Pick<CampaignStore, 'find' | 'lockStatus' | 'grow'>;
  importContacts: ImportContacts;
  clock: Clock;
  dispatchWakeUp: WakeUp;
};

export type AppendInput = {
  id: string;
  context: CallContext;
  body: AsyncIterable<Buffer>;
  idempotency: Idempotency;
};
type Appended = ResponseOf<typeof endpoint>;

const uploadSchema = contactsAppend.extend({ contacts: z.array(z.unknown()).min(1) });

/**
 * Appends contacts from a body of any size, all or nothing [campaigns.17]. The campaign's status is checked before the
 * contacts are read, and again at the end, under its lock: either it completes first and they are rejected, or it continues
 * with them. Pausing, cancelling and dialing do not wait while they are written.
 */
export async function appendContacts(deps: AppendDeps, input: AppendInput): Promise<Appended> {
  const { id } = input;
  const { workspaceId } = input.context;
  const found = await deps.campaigns.find(workspaceId, id);
  requireOpen(found?.campaign.status);
  let isSkipping = false;

  async function* contacts(): AsyncGenerator<ContactInput[]> {
    const fields = yield* readUpload(input.body);
    isSkipping = parseInput(uploadSchema, fields).skip_duplicates;
  }
  const finish = async (
    tx: ImportTransaction,
    { count: added, lastId }: ImportedContacts,
  ): Promise<Appended> => {
    requireOpen(await deps.campaigns.lockStatus(tx, workspaceId, id));
    const total = await deps.campaigns.grow(tx, { id, added, lastId, now: deps.clock.now() });
    return input.idempotency.answer(tx, { added, total_contacts: total });
  };
  const skipDuplicates = (): boolean => isSkipping;
  const answer = await deps.importContacts(
    { workspaceId, campaignId: id, isNew: false, skipDuplicates, failure: 'CONTACTS_INSERT_FAILED', finish },
    contacts(),
  );
  deps.dispatchWakeUp.wake();
  return answer;
}

function requireOpen(status: CampaignStatus | undefined): void {
  if (!status) throw campaignNotFound();
  if (status === 'completed' || status === 'cancelled') {
    throw conflict(`Contacts cannot be added to a campaign that is ${status}`);
  }
}
