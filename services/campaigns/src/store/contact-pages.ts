import type { ContactStatus } from '@parley/contracts';
import type { Campaign } from '../domain/campaign.ts';
import type { ContactView, Page } from '../domain/ports.ts';
import type { Contact, Prisma, PrismaClient } from '../generated/prisma/client.ts';
import { BY_INDEX } from './by-index.ts';
import { seekContact } from './contact-marks.ts';
import { contactsByStatus } from './contacts-by-status.ts';

/*
 * What is stored and what clients see differ in two ways (D7.6). `queued`, claimed but not dialled, is shown as where
 * it came from. And nobody is stored as `cancelled`: in a cancelled campaign what waits is cancelled, a million rows at
 * once and without a write; what is queued may still turn out to have been dialled, and is shown as such until then.
 */

/** Not beyond the last: nobody steps over those that are being written. */
export function listOf({ id, lastContactId }: Campaign) {
  return { campaignId: id, id: { lte: lastContactId } };
}

export async function listContacts(
  prisma: PrismaClient,
  campaign: Campaign,
  { status, ...page }: { status?: ContactStatus | undefined; limit: number; offset: number },
): Promise<Page<ContactView>> {
  const isCancelled = campaign.status === 'cancelled';
  const { total, items } = status
    ? await contactsByStatus(prisma, campaign, { ...page, status })
    : { total: campaign.totalContacts, items: await pageOf(prisma, campaign, page) };
  return { total, items: items.map((row) => toView(row, isCancelled)) };
}

async function pageOf(
  prisma: PrismaClient,
  campaign: Campaign,
  { limit, offset }: { limit: number; offset: number },
): Promise<Contact[]> {
  const mark = await seekContact(prisma, campaign.id, offset);
  const list = listOf(campaign);
  return contactsInOrder(prisma, {
    where: mark ? { ...list, id: { ...list.id, gte: mark.id } } : list,
    take: limit,
    skip: mark?.skip ?? offset,
  });
}

type Stretch = { where: Prisma.ContactWhereInput; take: number; skip?: number };

/** Contacts in the order of the list. */
export async function contactsInOrder(prisma: PrismaClient, stretch: Stretch): Promise<Contact[]> {
  const [, rows] = await prisma.$transaction([
    prisma.$executeRawUnsafe(BY_INDEX),
    prisma.contact.findMany({ ...stretch, orderBy: { id: 'asc' } }),
  ]);
  return rows;
}

function shownAs({ status, attempts }: Contact, isCancelled: boolean): ContactStatus {
  if (status === 'queued') return isCancelled ? 'dialing' : attempts > 0 ? 'retrying' : 'pending';
  return isCancelled && (status === 'pending' || status === 'retrying')
    ? 'cancelled'
    : (status as ContactStatus);
}

export function toView(row: Contact, isCancelled: boolean): ContactView {
  const status = shownAs(row, isCancelled);
  return {
    id: row.id,
    phoneNumber: row.phoneNumber,
    contactName: row.contactName,
    customData: (row.customData ?? {}) as Record<string, unknown>,
    status,
    attempts: row.attempts,
    lastCallId: row.lastCallId,
    lastOutcome: row.lastOutcome,
    nextAttemptAt: status === 'retrying' ? row.nextAttemptAt : null,
  };
}
