import type { WakeUp } from '@parley/kit/concurrency';
import type { Clock } from '@parley/kit/time';
import { applyMove, situationOf, wakeAt } from './apply-move.ts';
import type { CampaignStore } from './campaigns.store.ts';
import { transition } from './transition.ts';

export type ClockDeps = {
  campaigns: CampaignStore;
  clock: Clock;
  dispatchWakeUp: WakeUp;
  withdrawWakeUp: WakeUp;
};

const BATCH = 500;

/** Changes campaigns whose schedule has come or whose hours have opened or closed [campaigns.5]. */
export async function moveByClock(deps: ClockDeps): Promise<boolean> {
  const now = deps.clock.now();
  const moved = await deps.campaigns.moveDue(now, BATCH, (campaign, tally) => {
    const move = transition(campaign.status, 'clock', situationOf(campaign, tally, now));
    if (move === 'stay' || move === 'refuse') return { wakeAt: wakeAt(campaign, campaign.status, now) };
    return applyMove(campaign, move, now);
  });
  if (moved.some(({ status }) => status === 'running')) deps.dispatchWakeUp.wake();
  if (moved.some(({ withdrawalPending }) => withdrawalPending)) deps.withdrawWakeUp.wake();
  return moved.length === BATCH;
}
