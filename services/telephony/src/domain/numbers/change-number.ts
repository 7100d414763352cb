import type { Sql } from '@parley/kit/db';
import { notFound } from '@parley/kit/errors';
import { enqueue } from '@parley/kit/outbox';
import type { Clock } from '@parley/kit/time';
import { type PhoneNumber, toPhoneNumberUpdated } from './phone-number.ts';
import type { NumberStore } from './ports.ts';

export type NumberChange = Partial<
  Pick<PhoneNumber, 'isActive' | 'maxCps' | 'inboundAgentId' | 'outboundAgentId' | 'inboundWebhookUrl'>
>;

export type ChangeDeps = { numbers: NumberStore; clock: Clock };

/** Changes a number that the transaction holds: the one place where its version rises and the others hear of it. */
export async function changeNumber(
  tx: Sql,
  { numbers, clock }: ChangeDeps,
  held: PhoneNumber | undefined,
  change: NumberChange,
  requestId?: string,
): Promise<PhoneNumber> {
  if (!held) throw notFound('Phone number');
  const changed = { ...held, ...change, version: held.version + 1, updatedAt: clock.now() };
  await numbers.save(tx, changed);
  await enqueue(tx, {
    type: 'phone-number.updated',
    workspaceId: changed.workspaceId,
    requestId,
    occurredAt: changed.updatedAt,
    data: toPhoneNumberUpdated(changed),
  });
  return changed;
}
