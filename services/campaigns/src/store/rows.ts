import { campaignStatus, storedBusinessHours } from '@parley/contracts';
import type { Log } from '@parley/kit/log';
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

/** Those that can be read, and the ids of the others, of which a person has to hear. */
export function readable(
  rows: readonly CampaignRow[],
  log: Log,
): { campaigns: Campaign[]; unreadable: string[] } {
  const unreadable: string[] = [];
  const campaigns = rows.flatMap((row) => {
    try {
      return [toCampaign(row)];
    } catch (err) {
      log.error({ err, campaignId: row.id }, 'campaign cannot be read');
      unreadable.push(row.id);
      return [];
    }
  });
  return { campaigns, unreadable };
}
