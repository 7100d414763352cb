import { queryRows, type SqlClient, sql } from '@parley/kit/db';
import { newId } from '@parley/kit/ids';
import { enqueue, type Outbox } from '@parley/kit/outbox';
import { z } from 'zod';
import type { Campaign } from '../campaigns/campaign.ts';
import { toCampaign } from '../campaigns/campaign-rows.ts';
import { isOpen } from '../campaigns/hours.ts';
import { BY_INDEX } from '../database.ts';
import type { Prisma } from '../generated/prisma/client.ts';
import { dialRequests } from './dial-requests.ts';
import { claimStatement, hasDue } from './due-contacts.ts';
import { afterLast, shareSlots } from './share-slots.ts';

type Tx = Prisma.TransactionClient;
type Transaction = Outbox<Tx>['transaction'];

/** A number of running campaigns with due contacts, and how many of its requests telephony has not dialed yet. */
export type BusyNumber = { phoneNumberId: string; outstanding: number };

export type ClaimDials = (windows: ReadonlyMap<string, number>, now: Date) => Promise<number>;

const busyRow = z.object({ phoneNumberId: z.string(), outstanding: z.number() });

export function createBusyNumbers(transaction: Transaction): (now: Date) => Promise<BusyNumber[]> {
  return (now) =>
    transaction(async (tx) => {
      await tx.$executeRaw(BY_INDEX);
      return queryRows(
        tx,
        busyRow,
        sql`
        SELECT busy.phone_number_id::text AS "phoneNumberId", (
          SELECT count(*)::int FROM attempts a
          WHERE a.phone_number_id = busy.phone_number_id AND a.state = 'requested'
        ) AS outstanding
        FROM (SELECT DISTINCT c.phone_number_id FROM campaigns c WHERE c.status = 'running' AND ${hasDue(now)}) AS busy`,
      );
    });
}

type LockedNumber = { id: string; last: string | null; free: number };
/** How many contacts of a campaign are dialed at most. */
type Share = { campaign: Campaign; max: number };

/**
 * Claims contacts for some numbers in one transaction, up to what their windows leave free, fairly over each number's
 * campaigns. It locks the numbers, so that replicas can't exceed a window together; reads their campaigns under a lock,
 * so that pause and cancel come before or after, never between; writes the attempts and requests the dials. A number
 * that another replica has locked is left to it. Returns how many were claimed.
 */
export function createClaimDials(transaction: Transaction): ClaimDials {
  return (windows, now) =>
    transaction(async (tx) => {
      await tx.$executeRaw(BY_INDEX);
      const numbers = await lockNumbers(tx, windows);
      if (numbers.length === 0) return 0;
      const campaigns = await lockCampaigns(
        tx,
        numbers.map(({ id }) => id),
        now,
      );
      const planned = numbers.map((number) =>
        share(
          number,
          campaigns.filter(({ phoneNumberId }) => phoneNumberId === number.id),
        ),
      );
      const claimed = await claimContacts(
        tx,
        planned.flatMap(({ shares }) => shares),
        now,
      );
      await setLastCampaigns(tx, planned);
      return claimed;
    });
}

const lockedRow = z.object({ id: z.string(), last: z.string().nullable() });
const countRow = z.object({ id: z.string(), count: z.number() });

/** Those with free slots that no other replica has locked, in one order for all, so that replicas can't deadlock. */
async function lockNumbers(tx: SqlClient, windows: ReadonlyMap<string, number>): Promise<LockedNumber[]> {
  const locked = await queryRows(
    tx,
    lockedRow,
    sql`
    SELECT phone_number_id::text AS id, last_campaign_id::text AS last FROM dial_lanes
    WHERE phone_number_id = ANY (${[...windows.keys()]}::uuid[]) ORDER BY phone_number_id FOR UPDATE SKIP LOCKED`,
  );
  if (locked.length === 0) return [];
  // Counted under the lock: its previous holder has committed.
  const counts = await queryRows(
    tx,
    countRow,
    sql`
    SELECT phone_number_id::text AS id, count(*)::int AS count FROM attempts
    WHERE phone_number_id = ANY (${locked.map(({ id }) => id)}::uuid[]) AND state = 'requested'
    GROUP BY phone_number_id`,
  );
  const outstanding = new Map(counts.map(({ id, count }) => [id, count]));
  return locked
    .map((number) => ({
      ...number,
      free: (windows.get(number.id) ?? 0) - (outstanding.get(number.id) ?? 0),
    }))
    .filter(({ free }) => free > 0);
}

const idRow = z.object({ id: z.string() });

/** Open campaigns with due contacts. FOR SHARE: a change of status and a claim never overlap. */
async function lockCampaigns(tx: Tx, phoneNumberIds: string[], now: Date): Promise<Campaign[]> {
  const locked = await queryRows(
    tx,
    idRow,
    sql`
    SELECT c.id::text FROM campaigns c
    WHERE c.phone_number_id = ANY (${phoneNumberIds}::uuid[]) AND c.status = 'running' AND ${hasDue(now)}
    ORDER BY c.id FOR SHARE`,
  );
  if (locked.length === 0) return [];
  const rows = await tx.campaign.findMany({
    where: { id: { in: locked.map(({ id }) => id) } },
    orderBy: { id: 'asc' },
  });
  return rows.map(toCampaign).filter(({ businessHours }) => isOpen(businessHours, now));
}

/** Shares a number's free slots; `last` is the campaign after which the next claim begins. */
function share(
  { id, last, free }: LockedNumber,
  campaigns: readonly Campaign[],
): { id: string; shares: Share[]; last: string | undefined } {
  const order = afterLast(campaigns, last);
  const slots = shareSlots(free, order.length);
  const shares = order.map((campaign, index) => ({ campaign, max: slots[index] ?? 0 }));
  // Those before it had one slot more. If all had the same, the next claim begins where this one did.
  const lastServed = shares.findLast(({ max }) => max > (slots.at(-1) ?? 0));
  return { id, shares: shares.filter(({ max }) => max > 0), last: lastServed?.campaign.id };
}

async function setLastCampaigns(
  tx: SqlClient,
  numbers: readonly { id: string; last: string | undefined }[],
): Promise<void> {
  const changed = numbers.filter(({ last }) => last !== undefined);
  if (changed.length === 0) return;
  await tx.$executeRaw(sql`
    UPDATE dial_lanes l SET last_campaign_id = given.campaign_id
    FROM unnest(${changed.map(({ id }) => id)}::uuid[], ${changed.map(({ last }) => last)}::uuid[])
      AS given (phone_number_id, campaign_id)
    WHERE l.phone_number_id = given.phone_number_id AND l.last_campaign_id IS DISTINCT FROM given.campaign_id`);
}

const claimedRow = z.object({
  campaignId: z.string(),
  id: z.string(),
  phoneNumber: z.string(),
  contactName: z.string().nullable(),
  // Not z.record, which drops a key `__proto__`.
  customData: z.custom<Record<string, unknown> | null>(),
});

type Dial = { callId: string; contact: z.infer<typeof claimedRow> };

/** Claims contacts of locked campaigns, writes their attempts and requests the dials. */
async function claimContacts(tx: Tx, shares: readonly Share[], now: Date): Promise<number> {
  const claims = shares.map(({ campaign, max }) => ({
    ...{ campaignId: campaign.id, lastContactId: campaign.lastContactId },
    max,
  }));
  const contacts = await queryRows(tx, claimedRow, claimStatement(claims, now));
  if (contacts.length === 0) return 0;
  const dials = new Map(shares.map(({ campaign }) => [campaign.id, [] as Dial[]]));
  for (const contact of contacts) dials.get(contact.campaignId)?.push({ callId: newId(), contact });
  const byCampaign = shares.map(({ campaign }) => ({ campaign, dials: dials.get(campaign.id) ?? [] }));
  const attempts = byCampaign.flatMap(({ campaign, dials: own }) =>
    own.map(({ callId, contact }) => ({
      call_id: callId,
      workspace_id: campaign.workspaceId,
      campaign_id: campaign.id,
      contact_id: contact.id,
      phone_number_id: campaign.phoneNumberId,
      generation: campaign.generation,
    })),
  );
  await tx.$executeRaw(sql`
    INSERT INTO attempts (id, workspace_id, campaign_id, contact_id, phone_number_id, generation, requested_at, news_at)
    SELECT call_id, workspace_id, campaign_id, contact_id, phone_number_id, generation, ${now}::timestamptz,
      ${now}::timestamptz
    FROM json_to_recordset(${JSON.stringify(attempts)}::json) AS a (call_id uuid, workspace_id uuid, campaign_id uuid,
      contact_id uuid, phone_number_id uuid, generation int)`);
  await enqueue(
    tx,
    byCampaign.flatMap(({ campaign, dials: own }) => dialRequests(campaign, own, now)),
  );
  return contacts.length;
}
