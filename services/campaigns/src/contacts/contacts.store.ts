import { type ContactStatus, numberPart } from '@parley/contracts';
import { empty, join, queryRow, queryRows, type SqlClient, type Statement, sql } from '@parley/kit/db';
import { z } from 'zod';
import type { Campaign } from '../campaigns/campaign.ts';
import { BY_INDEX } from '../database.ts';
import type { Contact, Prisma, PrismaClient } from '../generated/prisma/client.ts';
import { seekContact } from './contact-marks.ts';

/*
 * The stored status differs from the API's in two ways [campaigns.16]. `queued`, claimed and not dialed, is shown as the status
 * before the claim. `cancelled` isn't stored, so that cancelling a million contacts needs no write: waiting contacts of a
 * cancelled campaign are shown as cancelled; queued ones may still have been dialed and are shown as `dialing` until then.
 */

export type ContactView = Omit<Contact, 'customData' | 'status'> & {
  customData: Record<string, unknown>;
  status: ContactStatus;
};

type Filter = { status?: ContactStatus | undefined; search?: string | undefined };
type Page = Filter & { limit: number; offset: number };

export type ContactStore = ReturnType<typeof createContactStore>;

/** Maximum size of a page in bytes of JSON: a contact has up to 32 KiB, and a page up to a thousand contacts. */
const PAGE_BYTES = 1024 ** 2;
const BATCH = 1000;

export function createContactStore(prisma: PrismaClient) {
  return {
    /** Pages of large contacts are shorter than `limit`. */
    list: async (campaign: Campaign, page: Page): Promise<{ items: ContactView[]; total: number }> => {
      // After the retention only the counts are left [trust.21].
      if (campaign.contactsRemovedAt) return { total: 0, items: [] };
      const isFiltered = page.status !== undefined || page.search !== undefined;
      const { total, items } = isFiltered
        ? await listMatching(prisma, campaign, page)
        : { total: campaign.totalContacts, items: await listAll(prisma, campaign, page) };
      const isCancelled = campaign.status === 'cancelled';
      return { total, items: items.map((row) => toView(row, isCancelled)) };
    },

    /** All contacts in order, in short queries: a slow download holds neither a connection nor a snapshot. */
    every: async function* (campaign: Campaign): AsyncGenerator<ContactView[]> {
      const isCancelled = campaign.status === 'cancelled';
      const list = listOf(campaign);
      let last: string | undefined;
      for (;;) {
        const where = last ? { ...list, id: { ...list.id, gt: last } } : list;
        const rows = await readInOrder(prisma, { where, take: BATCH });
        if (rows.length === 0) return;
        yield rows.map((row) => toView(row, isCancelled));
        last = rows.at(-1)?.id;
      }
    },
  };
}

/** Up to the last committed contact: a search must not step over those of a running upload. */
function listOf({ id, lastContactId }: Campaign) {
  return { campaignId: id, id: { lte: lastContactId } };
}

async function listAll(
  prisma: PrismaClient,
  campaign: Campaign,
  { limit, offset }: Page,
): Promise<Contact[]> {
  const mark = await seekContact(prisma, campaign.id, offset);
  const list = listOf(campaign);
  return readInOrder(prisma, {
    where: mark ? { ...list, id: { ...list.id, gte: mark.id } } : list,
    take: limit,
    skip: mark?.skip ?? offset,
  });
}

type Range = { where: Prisma.ContactWhereInput & { campaignId: string }; take: number; skip?: number };

async function readInOrder(prisma: PrismaClient, range: Range): Promise<Contact[]> {
  const [, found] = await prisma.$transaction([
    prisma.$executeRaw(BY_INDEX),
    prisma.contact.findMany({ ...range, orderBy: { id: 'asc' }, select: { id: true } }),
  ]);
  const { campaignId } = range.where;
  const ids = await withinPage(
    prisma,
    campaignId,
    found.map(({ id }) => id),
  );
  return prisma.contact.findMany({ where: { campaignId, id: { in: ids } }, orderBy: { id: 'asc' } });
}

/** The position of a contact in its page, and the bytes up to it. */
const placeAndBytes = sql`row_number() OVER walk AS place,
  sum(octet_length(coalesce(custom_data::text, '')) + octet_length(coalesce(contact_name, ''))) OVER walk AS bytes`;
const fits = sql`place = 1 OR bytes <= ${PAGE_BYTES}`;
const idRow = z.object({ id: z.string() });

/** The first contacts that fit into `PAGE_BYTES`, at least one. */
async function withinPage(client: SqlClient, campaignId: string, ids: string[]): Promise<string[]> {
  if (ids.length <= 1) return ids;
  const rows = await queryRows(
    client,
    idRow,
    sql`
    SELECT id::text FROM (
      SELECT id, ${placeAndBytes} FROM contacts WHERE campaign_id = ${campaignId}::uuid AND id = ANY (${ids}::uuid[])
      WINDOW walk AS (ORDER BY id ROWS UNBOUNDED PRECEDING)
    ) AS page WHERE ${fits} ORDER BY id`,
  );
  return rows.map(({ id }) => id);
}

const is = {
  pending: sql`status = 'pending'`,
  retrying: sql`status = 'retrying'`,
  queued: sql`status = 'queued'`,
  dialing: sql`status = 'dialing'`,
  in_progress: sql`status = 'in_progress'`,
  succeeded: sql`status = 'succeeded'`,
  failed: sql`status = 'failed'`,
};

/** The ranges of an index in which contacts of a status, or all, are stored. */
function rangesOf(status: ContactStatus | undefined, isCancelled: boolean): Statement[] {
  if (status === undefined) return [sql`true`];
  if (status === 'cancelled') return isCancelled ? [is.pending, is.retrying] : [];
  if (status === 'pending') return isCancelled ? [] : [is.pending, sql`${is.queued} AND attempts = 0`];
  if (status === 'retrying') return isCancelled ? [] : [is.retrying, sql`${is.queued} AND attempts > 0`];
  if (status === 'dialing' && isCancelled) return [is.dialing, is.queued];
  return [is[status]];
}

/**
 * Contacts whose number or name contains the text. No index has either: one of numbers doubles the time in which a million contacts are
 * copied, and this reads a hundred thousand in 0.1 s. What can be a number has no letters, so its case isn't compared.
 */
function matchOf(search: string): Statement {
  const part = numberPart(search);
  if (part !== undefined)
    return sql`AND (strpos(phone_number, ${part}) > 0 OR strpos(contact_name, ${search.trim()}) > 0)`;
  // LIKE without its wildcards.
  const pattern = `%${search.replace(/[\\%_]/g, '\\$&')}%`;
  return sql`AND contact_name COLLATE "und-x-icu" ILIKE ${pattern}`;
}

const totalRow = z.object({ total: z.number() });
const contactRow = z.object({
  campaignId: z.string(),
  id: z.string(),
  phoneNumber: z.string(),
  contactName: z.string().nullable(),
  // Not z.record, which drops a key `__proto__`.
  customData: z.custom<Contact['customData']>(),
  status: z.string(),
  attempts: z.number(),
  lastCallId: z.string().nullable(),
  lastOutcome: z.string().nullable(),
  nextAttemptAt: z.date().nullable(),
});

async function listMatching(
  client: SqlClient,
  { id, status: state, lastContactId }: Campaign,
  { status, search, limit, offset }: Page,
): Promise<{ items: Contact[]; total: number }> {
  const matches = search === undefined ? empty : matchOf(search);
  const ranges = rangesOf(status, state === 'cancelled').map(
    (range) =>
      sql`FROM contacts WHERE campaign_id = ${id}::uuid AND id <= ${lastContactId}::uuid AND ${range} ${matches}`,
  );
  if (ranges.length === 0) return { total: 0, items: [] };
  const counts = ranges.map((range) => sql`(SELECT count(*) ${range})`);
  // A query per range: for both at once the planner would walk the whole list.
  const firsts = ranges.map(
    (range) => sql`(SELECT id ${range} ORDER BY id LIMIT ${limit}::bigint + ${offset}::bigint)`,
  );
  const [count, items] = await Promise.all([
    queryRow(client, totalRow, sql`SELECT (${join(counts, ' + ')})::int AS total`),
    queryRows(
      client,
      contactRow,
      sql`
      WITH page AS MATERIALIZED (
        SELECT id FROM (${join(firsts, ' UNION ALL ')}) AS found ORDER BY id LIMIT ${limit}::bigint OFFSET ${offset}::bigint
      )
      SELECT campaign_id::text AS "campaignId", id::text, phone_number AS "phoneNumber", contact_name AS "contactName",
        custom_data AS "customData", status, attempts, last_call_id::text AS "lastCallId", last_outcome AS "lastOutcome",
        next_attempt_at AS "nextAttemptAt"
      FROM (
        SELECT contacts.*, ${placeAndBytes} FROM page JOIN contacts USING (id) WHERE campaign_id = ${id}::uuid
        WINDOW walk AS (ORDER BY id ROWS UNBOUNDED PRECEDING)
      ) AS sized WHERE ${fits} ORDER BY id`,
    ),
  ]);
  return { total: count?.total ?? 0, items };
}

function statusOf({ status, attempts }: Contact, isCancelled: boolean): ContactStatus {
  if (status === 'queued') return isCancelled ? 'dialing' : attempts > 0 ? 'retrying' : 'pending';
  const waits = status === 'pending' || status === 'retrying';
  return isCancelled && waits ? 'cancelled' : (status as ContactStatus);
}

function toView(row: Contact, isCancelled: boolean): ContactView {
  const status = statusOf(row, isCancelled);
  return {
    ...row,
    customData: (row.customData ?? {}) as Record<string, unknown>,
    status,
    nextAttemptAt: status === 'retrying' ? row.nextAttemptAt : null,
  };
}
