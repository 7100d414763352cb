import { AppError } from '@parley/kit/errors';
import { enqueue } from '@parley/kit/outbox';
import type { Clock } from '@parley/kit/time';
import type { DialQueue } from '../calls/placing-ports.ts';
import type { Transact } from '../clients/ports.ts';
import { TOLERANCE_MS } from './dialer.ts';

export type WithdrawDeps = { transact: Transact; clock: Clock; dials: DialQueue };

type Input = { campaignId: string; belowGeneration: number; requestId: string };

/** Real time: a dial leaves within the tolerance, by a clock that may differ from ours, and reaches the carrier a moment later. */
export const DEPARTURE_MS = TOLERANCE_MS + 100;
/** Real time: the request that pauses the campaign waits for this response and has 2.5 s. Slots are reserved less far ahead. */
const MAX_WAIT_MS = 1_500;

/**
 * Withdraws the dials of a campaign. Calls that are already written leave before the response, or never: no dial
 * starts after it [campaigns.7]. May be repeated.
 */
export async function withdrawDials(deps: WithdrawDeps, input: Input): Promise<{ withdrawn: number }> {
  const { transact, dials } = deps;
  const { campaignId, belowGeneration } = input;
  // Committed first: a dialer that reads the gate later refuses, and one that read it before has locked its requests, which
  // the second transaction waits for.
  await transact((tx) => dials.raiseGate(tx, campaignId, belowGeneration));
  const before = await withdrawWaiting(deps, input);
  await waitForDepartures(deps, campaignId);
  // A dial that was too late for its slot waits again.
  const after = await withdrawWaiting(deps, input);
  return { withdrawn: before + after };
}

function withdrawWaiting(
  { transact, clock, dials }: WithdrawDeps,
  { campaignId, belowGeneration, requestId }: Input,
): Promise<number> {
  return transact(async (tx) => {
    const taken = await dials.withdrawWaiting(tx, campaignId, belowGeneration);
    const occurredAt = clock.now();
    await enqueue(
      tx,
      taken.map(({ callId, contactId, workspaceId }) => ({
        type: 'dial.refused' as const,
        workspaceId,
        requestId,
        occurredAt,
        data: {
          call_id: callId,
          campaign_id: campaignId,
          contact_id: contactId,
          reason: 'withdrawn' as const,
        },
      })),
    );
    return taken.length;
  });
}

async function waitForDepartures(
  { clock, dials }: Pick<WithdrawDeps, 'clock' | 'dials'>,
  campaignId: string,
): Promise<void> {
  const slot = await dials.lastSlot(campaignId);
  if (!slot) return;
  const waitMs = clock.toRealMs(slot.getTime() - clock.now().getTime()) + DEPARTURE_MS;
  if (waitMs > 0) await clock.sleep(Math.min(waitMs, MAX_WAIT_MS) * clock.rate);
  if (waitMs > MAX_WAIT_MS)
    throw new AppError(
      'SERVICE_UNAVAILABLE',
      'Dials of the campaign are about to leave: repeat the request',
      {
        retryAfterSeconds: 1,
      },
    );
}
