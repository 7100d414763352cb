import type { CampaignStatus } from '@parley/contracts';
import { type Campaign, isDone, type Tally } from './campaign.ts';
import { isOpen, nextChange } from './hours.ts';
import type { Situation } from './transition.ts';

/** The written fields of a change of status. */
export type CampaignChange = Pick<
  Campaign,
  'status' | 'generation' | 'withdrawalPending' | 'wakeAt' | 'startedAt' | 'completedAt' | 'updatedAt'
>;

/** The next check of hours that never change: always open, or in an unknown zone. */
const RECHECK_MS = 86_400_000;

/** The effects of a new status: timestamps, the next automatic change, whether requests are withdrawn. */
export function applyMove(campaign: Campaign, to: CampaignStatus, now: Date): CampaignChange {
  // Only a running campaign has requests that telephony may still dial.
  const stops = campaign.status === 'running' && to !== 'completed';
  return {
    status: to,
    generation: campaign.generation + (stops ? 1 : 0),
    withdrawalPending: campaign.withdrawalPending || stops,
    wakeAt: wakeAt(campaign, to, now),
    startedAt: campaign.startedAt ?? (to === 'running' ? now : null),
    completedAt: to === 'completed' || to === 'cancelled' ? now : null,
    updatedAt: now,
  };
}

/** The time of the next automatic change of a campaign with this status. */
export function wakeAt(
  { businessHours, scheduledAt }: Pick<Campaign, 'businessHours' | 'scheduledAt'>,
  status: CampaignStatus,
  now: Date,
): Date | null {
  if (status === 'scheduled') return scheduledAt;
  if (!businessHours || (status !== 'running' && status !== 'dormant')) return null;
  return nextChange(businessHours, now) ?? new Date(now.getTime() + RECHECK_MS);
}

/** The inputs of a campaign's transitions. */
export function situationOf(campaign: Campaign, tally: Tally, now: Date): Situation {
  return {
    hasRun: campaign.startedAt !== null,
    isScheduledAhead: campaign.scheduledAt !== null && campaign.scheduledAt > now,
    isOpen: isOpen(campaign.businessHours, now),
    isDone: isDone(campaign, tally),
  };
}
