import type { ContactStatus } from '@parley/contracts';
import type { Campaign } from '../domain/campaign.ts';
import type { ContactView, Page } from '../domain/ports.ts';
import type { Contact, Prisma, PrismaClient } from '../generated/prisma/client.ts';
import { seekContact } from './contact-marks.ts';

/*
 * What is stored and what clients see differ in two ways (D7.6). `queued`, claimed but not dialled, is shown as where
 * it came from. And nobody is stored as `cancelled`: in a cancelled campaign what waits is cancelled, a million rows at
 * once and without a write; what is queued may still turn out to have been dialled, and is shown as such until then.
 */

type Where = Prisma.ContactWhereInput;

/** Not beyond the last: nobody steps over those that are being written. */
export function listOf({ id, lastContactId }: Campaign) {
  return { campaignId: id, id: { lte: lastContactId } };
}

export async function listContacts(
  prisma: PrismaClient,
  campaign: Campaign,
  page: { status?: ContactStatus | undefined; limit: number; offset: number },
): Promise<Page<ContactView>> {
  const isCancelled = campaign.status === 'cancelled';
  const list = listOf(campaign);
  const where = { ...list, ...(page.status ? storedAs(page.status, isCancelled) : {}) };
  const mark = page.status ? undefined : await seekContact(prisma, campaign.id, page.offset);
  const [total, rows] = await Promise.all([
    page.status ? prisma.contact.count({ where }) : campaign.totalContacts,
    prisma.contact.findMany({
      where: mark ? { ...list, id: { ...list.id, gte: mark.id } } : where,
      orderBy: { id: 'asc' },
      take: page.limit,
      skip: mark?.skip ?? page.offset,
    }),
  ]);
  return { total, items: rows.map((row) => toView(row, isCancelled)) };
}

const never: Where = { id: { in: [] } };

function storedAs(status: ContactStatus, isCancelled: boolean): Where {
  switch (status) {
    case 'pending':
      return isCancelled ? never : { OR: [{ status: 'pending' }, { status: 'queued', attempts: 0 }] };
    case 'retrying':
      return isCancelled
        ? never
        : { OR: [{ status: 'retrying' }, { status: 'queued', attempts: { gt: 0 } }] };
    case 'cancelled':
      return isCancelled ? { status: { in: ['pending', 'retrying'] } } : never;
    case 'dialing':
      return { status: isCancelled ? { in: ['dialing', 'queued'] } : 'dialing' };
    default:
      return { status };
  }
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
