import { enqueue } from '@parley/kit/outbox';
import type { Clock } from '@parley/kit/time';
import type { DialQueue } from '../calls/placing-ports.ts';
import type { Transact } from '../clients/ports.ts';
import { BELIEVED_MS } from './departures.ts';

export type WithdrawDeps = { transact: Transact; clock: Clock; dials: DialQueue };

type Input = { campaignId: string; belowGeneration: number; requestId: string };

/** Of real time: the campaign's verb waits for the answer, and its budget is 2.5 s. */
const LONGEST_WAIT_MS = 1_500;

/**
 * Takes back what a campaign wants dialled no more [campaigns.5]. What was granted already leaves before this answers: from
 * then on nobody is dialled.
 */
export async function withdrawDials(
  { transact, clock, dials }: WithdrawDeps,
  { campaignId, belowGeneration, requestId }: Input,
): Promise<{ withdrawn: number }> {
  // Committed first: a dialer that reads the gate later refuses, and one that read it before holds its requests, which
  // the second transaction waits for.
  await transact((tx) => dials.raiseGate(tx, campaignId, belowGeneration));
  const withdrawn = await transact(async (tx) => {
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
  await waitForGranted({ clock, dials }, campaignId);
  return { withdrawn };
}

async function waitForGranted(
  { clock, dials }: Pick<WithdrawDeps, 'clock' | 'dials'>,
  campaignId: string,
): Promise<void> {
  const leavesAt = await dials.lastGrantedDial(campaignId);
  if (!leavesAt) return;
  // One that is late may have asked right before the gate rose, and leaves by what it hears for as long as that is believed.
  const waitMs = Math.max(leavesAt.getTime() - clock.now().getTime(), BELIEVED_MS * clock.rate);
  await clock.sleep(Math.min(waitMs, LONGEST_WAIT_MS * clock.rate));
}
