import { conflict } from '@parley/kit/errors';
import type { Clock } from '@parley/kit/time';
import { applyMove } from './apply-move.ts';
import type { Bell } from './bell.ts';
import { type CampaignView, toCampaignView } from './campaign-views.ts';
import type { Asker, CampaignStore, Telephony } from './ports.ts';
import { campaignNotFound } from './read-campaigns.ts';
import { situationOf } from './situation.ts';
import { transition, type Verb } from './transition.ts';
import { withdraw } from './withdraw.ts';

export type ChangeDeps = {
  campaigns: CampaignStore;
  telephony: Pick<Telephony, 'withdraw'>;
  clock: Clock;
  dispatchBell: Bell;
};

const DONE: Record<Verb, string> = { resume: 'resumed', pause: 'paused', cancel: 'cancelled' };

/**
 * resume, pause and cancel (D7.1). The change is committed before telephony takes back what it has not dialled, so
 * that nothing is handed out in between; and the verb answers after both, so that no dial begins after its answer.
 * Telephony away: 503 with the change made, and repeating the verb repeats the withdrawal.
 */
export async function changeCampaign(
  deps: ChangeDeps,
  { id, verb, asker }: { id: string; verb: Verb; asker: Asker },
): Promise<CampaignView> {
  const now = deps.clock.now();
  const found = await deps.campaigns.change({ id, workspaceId: asker.workspaceId }, (campaign, tally) => {
    const move = transition(campaign.status, verb, situationOf(campaign, tally, now));
    if (move === 'refuse') throw conflict(`A campaign that is ${campaign.status} cannot be ${DONE[verb]}`);
    return move === 'stay' ? null : applyMove(campaign, move, now);
  });
  if (!found) throw campaignNotFound();
  if (verb === 'resume') deps.dispatchBell.ring();
  else if (found.campaign.withdrawalOwed) await withdraw(deps, found.campaign, asker);
  return toCampaignView(found);
}
