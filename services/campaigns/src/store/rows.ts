import { campaignStatus, storedBusinessHours } from '@parley/contracts';
import type { Campaign } from '../domain/campaign.ts';
import type { Campaign as CampaignRow } from '../generated/prisma/client.ts';

/** A row as a domain value: what the database keeps as text or JSON is checked here, once. */
export function toCampaign(row: CampaignRow): Campaign {
  return {
    ...row,
    status: campaignStatus.parse(row.status),
    businessHours: storedBusinessHours.nullable().parse(row.businessHours),
  };
}
