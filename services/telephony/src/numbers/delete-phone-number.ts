import { AppError, conflict, notFound } from '@parley/kit/errors';
import type { ChangedBy } from '@parley/kit/http';
import { enqueue } from '@parley/kit/outbox';
import { type Clock, monotonicMs } from '@parley/kit/time';
import type { CampaignRetirement, Transact } from '../clients/ports.ts';
import { recordNumber } from './change-number.ts';
import type { NumberStore } from './numbers.store.ts';
import type { TrunkRemovals } from './trunk-removals.store.ts';

export type DeleteNumberDeps = {
  transact: Transact;
  clock: Clock;
  numbers: NumberStore;
  campaigns: CampaignRetirement;
  trunkRemovals: TrunkRemovals;
};

type Input = { workspaceId: string; requestId: string; id: string; by: ChangedBy };

/**
 * Campaigns keeps the number blocked for a minute of retirement; this bounds the time until the transaction below has the
 * number's lock, so that its commit falls well inside. Real milliseconds.
 */
const MAX_LOCK_MS = 3_500;

/**
 * Deletes a number that no live campaign uses [numbers.10]. Its calls stay; the dialer refuses those that are queued.
 */
export async function deletePhoneNumber(
  deps: DeleteNumberDeps,
  { workspaceId, requestId, id: given, by }: Input,
): Promise<void> {
  const found = await deps.numbers.find(workspaceId, given);
  if (!found) throw notFound('Phone number');
  // The stored id: the given one may be in upper case, and campaigns compares ids as text.
  const { id } = found;
  const startMs = monotonicMs();
  const { campaign, lift } = await deps.campaigns.retireNumber(workspaceId, id, requestId);
  if (campaign) {
    const { name, status } = campaign;
    throw conflict(`The campaign "${name}" can still dial from this number: it is ${status}`);
  }
  const deletion = deps.transact(async (tx) => {
    const number = await deps.numbers.lock(tx, id, workspaceId);
    if (!number) throw notFound('Phone number');
    if (monotonicMs() - startMs > MAX_LOCK_MS) throw tooLate();
    const now = deps.clock.now();
    await deps.numbers.remove(tx, number);
    if (number.provider === 'hosted_sip') await deps.trunkRemovals.add(tx, number, now);
    await recordNumber(tx, by, number, { action: 'deleted', at: now });
    await enqueue(tx, {
      type: 'phone-number.deleted',
      workspaceId,
      requestId,
      occurredAt: now,
      data: { phone_number_id: id, phone_number: number.phoneNumber, version: number.version + 1 },
    });
  });
  await deletion.catch(async (err) => {
    // After our own errors the transaction was rolled back; after any other the commit may have succeeded.
    if (err instanceof AppError && err.code !== 'NOT_FOUND') await lift();
    throw err;
  });
}

function tooLate(): AppError {
  return new AppError('SERVICE_UNAVAILABLE', 'The number is being changed, try again', {
    retryAfterSeconds: 1,
  });
}
