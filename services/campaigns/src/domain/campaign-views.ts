import type { campaign, campaignCreated, campaignListItem, contact } from '@parley/contracts';
import { toIsoMillis } from '@parley/kit/time';
import type { z } from 'zod';
import type { Campaign, Tally } from './campaign.ts';
import type { ContactView } from './ports.ts';

export type CreatedView = z.input<typeof campaignCreated>;
export type CampaignView = z.input<typeof campaign>;

/** The answer of creation (spec: POST /v1/campaigns). */
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

/** The single read (spec: GET /v1/campaigns/{id}); counters are of contacts (D7.4). */
export function toCampaignView({ campaign, tally }: { campaign: Campaign; tally: Tally }): CampaignView {
  return {
    ...toCreated(campaign),
    completed_calls: tally.succeeded + tally.failed,
    successful_calls: tally.succeeded,
    failed_calls: tally.failed,
    started_at: iso(campaign.startedAt),
    completed_at: iso(campaign.completedAt),
    updated_at: toIsoMillis(campaign.updatedAt),
  };
}

/** D7.5. */
export function toListItem(found: { campaign: Campaign; tally: Tally }): z.input<typeof campaignListItem> {
  const { agentId, phoneNumber } = found.campaign;
  return { ...toCampaignView(found), agent_id: agentId, phone_number: phoneNumber };
}

/** D7.6. */
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
