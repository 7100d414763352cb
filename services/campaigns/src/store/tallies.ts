import type { Tally } from '../domain/campaign.ts';
import type { Prisma, PrismaClient } from '../generated/prisma/client.ts';

/** The sums of the shards, of some campaigns at once. */
export async function talliesOf(
  reader: PrismaClient | Prisma.TransactionClient,
  ids: string[],
): Promise<(id: string) => Tally> {
  const sums = await reader.campaignTally.groupBy({
    by: ['campaignId'],
    where: { campaignId: { in: ids } },
    _sum: { succeeded: true, failed: true },
  });
  const byId = new Map(sums.map(({ campaignId, _sum }) => [campaignId, _sum]));
  return (id) => ({ succeeded: byId.get(id)?.succeeded ?? 0, failed: byId.get(id)?.failed ?? 0 });
}
