import type { Campaign } from '../domain/campaign.ts';
import type { ContactView } from '../domain/ports.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import { contactsInOrder, listOf, toView } from './contact-pages.ts';

const BATCH = 1000;

/** By short queries, each where the last one ended: whoever downloads slowly holds neither a connection nor a snapshot. */
export async function* everyContact(prisma: PrismaClient, campaign: Campaign): AsyncGenerator<ContactView[]> {
  const isCancelled = campaign.status === 'cancelled';
  let last: string | undefined;
  for (;;) {
    const list = listOf(campaign);
    const where = last ? { ...list, id: { ...list.id, gt: last } } : list;
    const rows = await contactsInOrder(prisma, { where, take: BATCH });
    if (rows.length > 0) yield rows.map((row) => toView(row, isCancelled));
    if (rows.length < BATCH) return;
    last = rows.at(-1)?.id;
  }
}
