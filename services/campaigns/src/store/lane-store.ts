import { newId } from '@parley/kit/ids';
import { enqueue, type Outbox } from '@parley/kit/outbox';
import type { Campaign } from '../domain/campaign.ts';
import { isOpen } from '../domain/hours.ts';
import type { BusyNumber, ClaimDials } from '../domain/ports.ts';
import { afterLast, shareSlots } from '../domain/share-slots.ts';
import type { Prisma } from '../generated/prisma/client.ts';
import { type DueContact, dialRequests } from './dial-request.ts';
import { toCampaign } from './rows.ts';

type Tx = Prisma.TransactionClient;

/** The expression of `contacts_waiting_idx`, word for word. */
const WAITS_IN = "(CASE WHEN status IN ('pending', 'retrying') THEN campaign_id END)";
const WAITING = `status IN ('pending', 'retrying') AND ${WAITS_IN}`;
/**
 * Retries that are due come before first attempts: they were promised a time. Those are looked for up to the campaign's
 * last contact: behind it lie the ones that are being written, which each look would have to step over.
 */
const dueUpTo = (lastId: string): string[] => [
  'next_attempt_at <= $1::timestamptz',
  `next_attempt_at IS NULL AND id <= ${lastId}`,
];
/** One order for all of them, so that the index alone can serve it. */
const IN_ORDER = 'ORDER BY next_attempt_at, id';

const HAS_DUE = `(${dueUpTo('c.last_contact_id')
  .map((due) => `EXISTS (SELECT FROM contacts WHERE ${WAITING} = c.id AND ${due} ${IN_ORDER} LIMIT 1)`)
  .join(' OR ')})`;

/**
 * A campaign that was uploaded a moment ago isn't in the planner's statistics, and it would rather sort a million
 * contacts than walk the index for the first few.
 */
const BY_INDEX = 'SET LOCAL enable_sort = off';

const BUSY = `
  SELECT busy.phone_number_id::text AS "phoneNumberId", (
    SELECT count(*)::int FROM attempts a WHERE a.phone_number_id = busy.phone_number_id AND a.state = 'requested'
  ) AS outstanding
  FROM (SELECT DISTINCT c.phone_number_id FROM campaigns c WHERE c.status = 'running' AND ${HAS_DUE}) AS busy`;

const LOCK_LANE =
  'SELECT last_campaign_id::text AS last FROM dial_lanes WHERE phone_number_id = $1::uuid FOR UPDATE';
const OUTSTANDING = `
  SELECT count(*)::int AS count FROM attempts WHERE phone_number_id = $1::uuid AND state = 'requested'`;
/** FOR SHARE: a verb that has changed the status, or is about to, and a claim never overlap. */
const LOCK_CAMPAIGNS = `
  SELECT c.id::text FROM campaigns c
  WHERE c.phone_number_id = $2::uuid AND c.status = 'running' AND ${HAS_DUE}
  ORDER BY c.id FOR SHARE`;
const SET_TURN = 'UPDATE dial_lanes SET last_campaign_id = $2::uuid WHERE phone_number_id = $1::uuid';

const LAST = '(SELECT last_contact_id FROM campaigns WHERE id = $2::uuid)';
const CLAIMS = dueUpTo(LAST).map(
  (due) => `
  WITH due AS MATERIALIZED (
    SELECT id FROM contacts WHERE ${WAITING} = $2::uuid AND $1::timestamptz IS NOT NULL AND ${due}
    ${IN_ORDER} LIMIT $3 FOR UPDATE SKIP LOCKED
  )
  UPDATE contacts c SET status = 'queued' FROM due WHERE c.campaign_id = $2::uuid AND c.id = due.id
  RETURNING c.id::text, c.phone_number AS "phoneNumber", c.contact_name AS "contactName", c.custom_data AS "customData"`,
);

const ATTEMPTS = `
  INSERT INTO attempts (id, workspace_id, campaign_id, contact_id, phone_number_id, generation, requested_at, news_at)
  SELECT call_id, $2::uuid, $3::uuid, contact_id, $4::uuid, $5, $6::timestamptz, $6::timestamptz
  FROM unnest($1::uuid[], $7::uuid[]) AS a (call_id, contact_id)`;

/** Numbers of running campaigns that have somebody to dial. */
export function createBusyNumbers(
  transaction: Outbox<Tx>['transaction'],
): (now: Date) => Promise<BusyNumber[]> {
  return (now) =>
    transaction(async (tx) => {
      await tx.$executeRawUnsafe(BY_INDEX);
      return tx.$queryRawUnsafe<BusyNumber[]>(BUSY, now.toISOString());
    });
}

/**
 * Claims contacts of one number in one transaction: holds its lane, so that replicas can't exceed the window together;
 * reads its campaigns under a lock, so that pause and cancel come before or after, never between; writes the attempts
 * and asks for the dials.
 */
export function createClaimDials(transaction: Outbox<Tx>['transaction']): ClaimDials {
  return ({ phoneNumberId, window, now }) =>
    transaction(async (tx) => {
      await tx.$executeRawUnsafe(BY_INDEX);
      const [lane] = await tx.$queryRawUnsafe<{ last: string | null }[]>(LOCK_LANE, phoneNumberId);
      const [outstanding] = await tx.$queryRawUnsafe<{ count: number }[]>(OUTSTANDING, phoneNumberId);
      const free = window - (outstanding?.count ?? 0);
      if (!lane || free <= 0) return 0;
      const order = afterLast(await dialling(tx, phoneNumberId, now), lane.last);
      const shares = shareSlots(free, order.length);
      let claimed = 0;
      let turn: string | undefined;
      for (const [index, campaign] of order.entries()) {
        const share = shares[index] ?? 0;
        if (share === 0) break;
        claimed += await claim(tx, campaign, share, now);
        // After a whole round the next one begins where this one began: its first had the odd slots last.
        if (share > (shares.at(-1) ?? 0)) turn = campaign.id;
      }
      if (turn) await tx.$executeRawUnsafe(SET_TURN, phoneNumberId, turn);
      return claimed;
    });
}

async function dialling(tx: Tx, phoneNumberId: string, now: Date): Promise<Campaign[]> {
  const locked = await tx.$queryRawUnsafe<{ id: string }[]>(LOCK_CAMPAIGNS, now.toISOString(), phoneNumberId);
  const ids = locked.map(({ id }) => id);
  const rows = await tx.campaign.findMany({ where: { id: { in: ids } }, orderBy: { id: 'asc' } });
  return rows.map(toCampaign).filter(({ businessHours }) => isOpen(businessHours, now));
}

async function claim(tx: Tx, campaign: Campaign, share: number, now: Date): Promise<number> {
  const contacts: DueContact[] = [];
  for (const sql of CLAIMS) {
    const left = share - contacts.length;
    if (left === 0) break;
    contacts.push(...(await tx.$queryRawUnsafe<DueContact[]>(sql, now.toISOString(), campaign.id, left)));
  }
  if (contacts.length === 0) return 0;
  const dials = contacts.map((contact) => ({ callId: newId(), contact }));
  await tx.$executeRawUnsafe(
    ATTEMPTS,
    dials.map(({ callId }) => callId),
    campaign.workspaceId,
    campaign.id,
    campaign.phoneNumberId,
    campaign.generation,
    now.toISOString(),
    dials.map(({ contact }) => contact.id),
  );
  await enqueue(tx, dialRequests(campaign, dials, now));
  return contacts.length;
}
