import type { CampaignStatus } from '@parley/contracts';
import type { Campaign } from './campaign.ts';
import { nextChange } from './hours.ts';

/** What a change of status writes. */
export type CampaignChange = Pick<
  Campaign,
  'status' | 'generation' | 'withdrawalOwed' | 'wakeAt' | 'startedAt' | 'completedAt' | 'updatedAt'
>;

/** Without an edge of its hours in sight (always open, or a zone that can't be read) it is looked at again. */
const LOOK_AGAIN_MS = 86_400_000;

/** All that follows from a new status: what is stamped, when it wakes next, whether its dial requests are taken back. */
export function applyMove(campaign: Campaign, to: CampaignStatus, now: Date): CampaignChange {
  // Only a running one has requests that telephony may still dial.
  const stops = campaign.status === 'running' && to !== 'completed';
  return {
    status: to,
    generation: campaign.generation + (stops ? 1 : 0),
    withdrawalOwed: campaign.withdrawalOwed || stops,
    wakeAt: wakeAt(campaign, to, now),
    startedAt: campaign.startedAt ?? (to === 'running' ? now : null),
    completedAt: to === 'completed' || to === 'cancelled' ? now : null,
    updatedAt: now,
  };
}

/** When a campaign of this status moves by itself next. */
export function wakeAt(
  { businessHours, scheduledAt }: Pick<Campaign, 'businessHours' | 'scheduledAt'>,
  status: CampaignStatus,
  now: Date,
): Date | null {
  if (status === 'scheduled') return scheduledAt;
  if (!businessHours || (status !== 'running' && status !== 'dormant')) return null;
  return nextChange(businessHours, now) ?? new Date(now.getTime() + LOOK_AGAIN_MS);
}
