import { gather } from '@parley/kit/db';
import type { Clock } from '@parley/kit/time';
import { applyMove } from './apply-move.ts';
import { forEach } from './for-each.ts';
import type { CampaignStore } from './ports.ts';
import { situationOf } from './situation.ts';
import { transition } from './transition.ts';

type Deps = { campaigns: CampaignStore; clock: Clock };

const BATCH = 50;

/** Completes what has nothing left to do (D7.1): of the campaigns given, or of all. */
export async function completeDone({ campaigns, clock }: Deps, ids?: string[]): Promise<boolean> {
  const done = await campaigns.done(ids?.length ?? BATCH, ids);
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

/**
 * Asked after the transaction of an outcome, since only then the last of two that end at the same moment sees both (and
 * `completeDone` looks now and then, for processes that died in between). Those that are asked for while others are
 * looked at are looked at together.
 */
export function createCompletion(deps: Deps): (campaignId: string) => Promise<void> {
  return gather(async (ids: string[]) => {
    await completeDone(deps, [...new Set(ids)]);
    return ids.map(() => undefined);
  });
}
