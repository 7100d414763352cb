import { type Campaign, isDone, type Tally } from './campaign.ts';
import { isOpen } from './hours.ts';
import type { Situation } from './transition.ts';

/** What the transitions of a campaign depend on, at this instant. */
export function situationOf(campaign: Campaign, tally: Tally, now: Date): Situation {
  return {
    hasRun: campaign.startedAt !== null,
    isScheduledAhead: campaign.scheduledAt !== null && campaign.scheduledAt > now,
    isOpen: isOpen(campaign.businessHours, now),
    isDone: isDone(campaign, tally),
  };
}
