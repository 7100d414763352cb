import { AppError, conflict, notFound } from '@parley/kit/errors';
import { enqueue } from '@parley/kit/outbox';
import { type Clock, monotonicMs } from '@parley/kit/time';
import type { CampaignRetirement, LiveCampaign, Transact } from '../ports.ts';
import type { NumberStore, TrunkRemovals } from './ports.ts';

export type DeleteNumberDeps = {
  transact: Transact;
  clock: Clock;
  numbers: NumberStore;
  campaigns: CampaignRetirement;
  trunkRemovals: TrunkRemovals;
  /** Tells the dialer that what waits for the number waits in vain. */
  wakeDialer: () => void;
};

type Input = { workspaceId: string; requestId: string; id: string };

/** The word of campaigns holds for 15 seconds, of which the rest of the transaction may take 10. Real time. */
const HOLDS_MS = 3_500;

/**
 * Deletes a number that no campaign can dial from any more (spec: DELETE /v1/phone-number/{id}; D5.4). Calls stay; what
 * waits to be dialled from it is refused by the dialer, which finds the number gone.
 */
export async function deletePhoneNumber(
  deps: DeleteNumberDeps,
  { workspaceId, requestId, id: given }: Input,
): Promise<void> {
  const found = await deps.numbers.find(workspaceId, given);
  if (!found) throw notFound('Phone number');
  // As it is stored: an id may be asked for in capitals, and others compare it as text.
  const { id } = found;
  const askedMs = monotonicMs();
  const { campaign, lift } = await deps.campaigns.retireNumber(workspaceId, id, requestId);
  if (campaign) throw stillNeeded(campaign);
  const deletion = deps.transact(async (tx) => {
    const held = await deps.numbers.lock(tx, id, workspaceId);
    if (!held) throw notFound('Phone number');
    if (monotonicMs() - askedMs > HOLDS_MS) throw tooLate();
    const now = deps.clock.now();
    await deps.numbers.remove(tx, held);
    if (held.provider === 'hosted_sip') await deps.trunkRemovals.add(tx, held, now);
    await enqueue(tx, {
      type: 'phone-number.deleted',
      workspaceId,
      requestId,
      occurredAt: now,
      data: { phone_number_id: id, phone_number: held.phoneNumber, version: held.version + 1 },
    });
  });
  await deletion.catch(async (err) => {
    // What we have refused ourselves was surely rolled back; of anything else the commit may yet have come through.
    if (err instanceof AppError && err.code !== 'NOT_FOUND') await lift();
    throw err;
  });
  deps.wakeDialer();
}

function stillNeeded({ name, status }: LiveCampaign): AppError {
  return conflict(`The campaign "${name}" can still dial from this number: it is ${status}`);
}

function tooLate(): AppError {
  return new AppError('SERVICE_UNAVAILABLE', 'The number is being changed at the moment, try again', {
    retryAfterSeconds: 1,
  });
}
