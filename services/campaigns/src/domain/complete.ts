import type { Clock } from '@parley/kit/time';
import { applyMove } from './apply-move.ts';
import { forEach } from './for-each.ts';
import type { CampaignStore } from './ports.ts';
import { situationOf } from './situation.ts';
import { transition } from './transition.ts';

type Deps = { campaigns: CampaignStore; clock: Clock };

const BATCH = 50;

/**
 * Completes what has nothing left to do (D7.1): the campaign given, or all. Asked after the transaction of an outcome,
 * since only then the last of two that end at the same moment sees both; and now and then, for processes that died
 * in between.
 */
export async function completeDone({ campaigns, clock }: Deps, id?: string): Promise<boolean> {
  const done = await campaigns.done(BATCH, id);
  await forEach(done, async (campaignId) => {
    const now = clock.now();
    await campaigns.change({ id: campaignId }, (campaign, tally) => {
      const situation = situationOf(campaign, tally, now);
      const move = situation.isDone ? transition(campaign.status, 'finished', situation) : 'stay';
      return move === 'stay' || move === 'refuse' ? null : applyMove(campaign, move, now);
    });
  });
  return done.length === BATCH;
}
