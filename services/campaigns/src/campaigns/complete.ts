import { createBatcher, forEachLimited } from '@parley/kit/concurrency';
import type { Clock } from '@parley/kit/time';
import { applyMove, situationOf } from './apply-move.ts';
import type { CampaignStore } from './campaigns.store.ts';
import { transition } from './transition.ts';

type Deps = { campaigns: CampaignStore; clock: Clock };

const BATCH = 50;
const CONCURRENCY = 4;

/** Completes campaigns whose contacts all have their outcome [campaigns.5]: of those given, or of all. */
export async function completeDone({ campaigns, clock }: Deps, ids?: string[]): Promise<boolean> {
  const done = await campaigns.done(ids?.length ?? BATCH, ids);
  await forEachLimited(done, CONCURRENCY, async (id) => {
    const now = clock.now();
    await campaigns.change({ id }, (campaign, tally) => {
      const situation = situationOf(campaign, tally, now);
      const move = situation.isDone ? transition(campaign.status, 'finished', situation) : 'stay';
      return move === 'stay' || move === 'refuse' ? null : applyMove(campaign, move, now);
    });
  });
  return done.length === BATCH;
}

/**
 * Called after the transaction of an outcome has committed: only then the last of two simultaneous outcomes sees both.
 * `completeDone` also runs periodically, for processes that died in between.
 */
export function createCompletion(deps: Deps): (campaignId: string) => Promise<void> {
  return createBatcher(async (ids: string[]) => {
    await completeDone(deps, [...new Set(ids)]);
    return ids.map(() => undefined);
  });
}
