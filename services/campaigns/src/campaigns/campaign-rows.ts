import { campaignStatus, storedBusinessHours } from '@parley/contracts';
import type { Campaign as CampaignRow, Prisma, PrismaClient } from '../generated/prisma/client.ts';
import type { Campaign, Tally } from './campaign.ts';

export type Reader = PrismaClient | Prisma.TransactionClient;

const hoursColumn = storedBusinessHours.nullable();

/** Validates columns stored as text or JSON. */
export function toCampaign(row: CampaignRow): Campaign {
  return {
    ...row,
    status: campaignStatus.parse(row.status),
    businessHours: hoursColumn.parse(row.businessHours),
  };
}

/** The tallies of some campaigns, summed over their shards. */
export async function talliesOf(reader: Reader, ids: string[]): Promise<(id: string) => Tally> {
  const sums = await reader.campaignTally.groupBy({
    by: ['campaignId'],
    where: { campaignId: { in: ids } },
    _sum: { succeeded: true, failed: true },
  });
  const byId = new Map(sums.map(({ campaignId, _sum }) => [campaignId, _sum]));
  return (id) => ({ succeeded: byId.get(id)?.succeeded ?? 0, failed: byId.get(id)?.failed ?? 0 });
}
