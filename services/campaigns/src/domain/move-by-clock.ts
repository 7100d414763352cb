import type { Clock } from '@parley/kit/time';
import { applyMove, wakeAt } from './apply-move.ts';
import type { Bell } from './bell.ts';
import type { CampaignStore } from './ports.ts';
import { situationOf } from './situation.ts';
import { transition } from './transition.ts';

export type ClockDeps = { campaigns: CampaignStore; clock: Clock; dispatchBell: Bell; withdrawBell: Bell };

const BATCH = 500;

/** Moves campaigns whose schedule or edge of hours has come (D7.1, "by itself"), also those that came while we were away. */
export async function moveByClock({
  campaigns,
  clock,
  dispatchBell,
  withdrawBell,
}: ClockDeps): Promise<boolean> {
  const now = clock.now();
  const moved = await campaigns.moveDue(now, BATCH, (campaign, tally) => {
    const move = transition(campaign.status, 'clock', situationOf(campaign, tally, now));
    if (move === 'stay' || move === 'refuse') return { wakeAt: wakeAt(campaign, campaign.status, now) };
    return applyMove(campaign, move, now);
  });
  if (moved.some(({ status }) => status === 'running')) dispatchBell.ring();
  if (moved.some(({ withdrawalOwed }) => withdrawalOwed)) withdrawBell.ring();
  return moved.length === BATCH;
}
