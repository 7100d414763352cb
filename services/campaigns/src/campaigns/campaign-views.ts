import type { campaign, campaignCreated, contact } from '@parley/contracts';
import { toIsoMillis } from '@parley/kit/time';
import type { z } from 'zod';
import type { ContactView } from '../contacts/contacts.store.ts';
import type { Campaign, Tally } from './campaign.ts';

export type CreatedView = z.input<typeof campaignCreated>;
export type CampaignView = z.input<typeof campaign>;

/** The response of creation [campaigns.1]. */
export function toCreated(campaign: Campaign): CreatedView {
  return {
    campaign_id: campaign.id,
    campaign_name: campaign.name,
    status: campaign.status,
    total_contacts: campaign.totalContacts,
    business_hours: campaign.businessHours,
    scheduled_at: iso(campaign.scheduledAt),
    created_at: toIsoMillis(campaign.createdAt),
  };
}

/** Counters count contacts [campaigns.14]. */
export function toCampaignView({ campaign, tally }: { campaign: Campaign; tally: Tally }): CampaignView {
  return {
    ...toCreated(campaign),
    agent_id: campaign.agentId,
    phone_number: campaign.phoneNumber,
    completed_calls: tally.succeeded + tally.failed,
    successful_calls: tally.succeeded,
    failed_calls: tally.failed,
    started_at: iso(campaign.startedAt),
    completed_at: iso(campaign.completedAt),
    updated_at: toIsoMillis(campaign.updatedAt),
  };
}

/** [campaigns.16] */
export function toContactItem(view: ContactView): z.input<typeof contact> {
  return {
    id: view.id,
    phone_number: view.phoneNumber,
    contact_name: view.contactName,
    custom_data: view.customData,
    status: view.status,
    attempts: view.attempts,
    last_call_id: view.lastCallId,
    last_outcome: view.lastOutcome,
    next_attempt_at: iso(view.nextAttemptAt),
  };
}

function iso(date: Date | null): string | null {
  return date && toIsoMillis(date);
}
