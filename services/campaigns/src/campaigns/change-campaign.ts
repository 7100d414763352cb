import type { WakeUp } from '@parley/kit/concurrency';
import { conflict } from '@parley/kit/errors';
import type { CallContext } from '@parley/kit/http';
import type { Clock } from '@parley/kit/time';
import type { Telephony } from '../clients/telephony.ts';
import { applyMove, situationOf } from './apply-move.ts';
import { type CampaignView, toCampaignView } from './campaign-views.ts';
import type { CampaignStore } from './campaigns.store.ts';
import { campaignNotFound } from './read-campaigns.ts';
import { transition, type Verb } from './transition.ts';
import { withdraw } from './withdraw.ts';

export type ChangeDeps = {
  campaigns: CampaignStore;
  telephony: Pick<Telephony, 'withdraw'>;
  clock: Clock;
  dispatchWakeUp: WakeUp;
};

const DONE: Record<Verb, string> = { resume: 'resumed', pause: 'paused', cancel: 'cancelled' };

/**
 * resume, pause and cancel [campaigns.5]. The change is committed before telephony withdraws undialed requests, so that no
 * new ones are made in between, and the response follows both, so that no dial starts after it [campaigns.7]. With
 * telephony unavailable it is a 503 with the change made; repeating the request repeats the withdrawal.
 */
export async function changeCampaign(
  deps: ChangeDeps,
  { id, verb, context }: { id: string; verb: Verb; context: CallContext },
): Promise<CampaignView> {
  const now = deps.clock.now();
  const found = await deps.campaigns.change({ id, workspaceId: context.workspaceId }, (campaign, tally) => {
    const move = transition(campaign.status, verb, situationOf(campaign, tally, now));
    if (move === 'refuse') throw conflict(`A campaign that is ${campaign.status} cannot be ${DONE[verb]}`);
    return move === 'stay' ? null : applyMove(campaign, move, now);
  });
  if (!found) throw campaignNotFound();
  if (verb === 'resume') deps.dispatchWakeUp.wake();
  else if (found.campaign.withdrawalPending) await withdraw(deps, found.campaign, context);
  return toCampaignView(found);
}
