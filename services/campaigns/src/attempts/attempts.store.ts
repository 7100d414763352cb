import { createBatcher } from '@parley/kit/concurrency';
import { queryRows, type SqlClient, sql } from '@parley/kit/db';
import { enqueue, type Outbox } from '@parley/kit/outbox';
import { z } from 'zod';
import { toCampaign } from '../campaigns/campaign-rows.ts';
import { dialRequests } from '../dispatch/dial-requests.ts';
import type { Prisma, PrismaClient } from '../generated/prisma/client.ts';
import { type Advance, type AttemptUpdate, advanceAttempt } from './advance-attempt.ts';

type Tx = Prisma.TransactionClient;

/** `isFinal`: the contact has its outcome now. `freedSlot`: telephony holds one undialed request less. */
type AppliedUpdate = { campaignId: string; isFinal: boolean; freedSlot: boolean };

export type AttemptStore = {
  /** Undefined if it changed nothing: it is old, repeated or of an unknown attempt. */
  apply(callId: string, update: AttemptUpdate, now: Date): Promise<AppliedUpdate | undefined>;
  /** Open attempts without an update since, oldest first. */
  silentSince(since: Date, limit: number): Promise<string[]>;
  /** Marks attempts as still in progress. */
  touch(ids: string[], now: Date): Promise<void>;
  /** Those of the attempts whose request is still in the outbox. */
  unpublished(callIds: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * For an attempt that telephony doesn't know:
   * - `requested`: again, since its campaign still wants it
   * - `unwanted`: its campaign doesn't want it anymore
   * - `lost`: it had been dialed
   * - `wait`: it has ended meanwhile, a withdrawal is in progress, or its request `isUnpublished`
   */
  requestAgain(
    callId: string,
    isUnpublished: boolean,
    now: Date,
  ): Promise<'requested' | 'unwanted' | 'lost' | 'wait'>;
};

/** The condition of the index `attempts_open_idx`. */
const OPEN = sql`state IN ('requested', 'dialled', 'answered')`;

export function createAttemptStore(
  prisma: PrismaClient,
  transaction: Outbox<Tx>['transaction'],
): AttemptStore {
  // Updates that arrive during a write share the next one.
  const apply = createBatcher((items: Item[]) => applyAll(prisma, items));
  return {
    apply: (callId, update, now) => apply({ callId: callId.toLowerCase(), update, now }),

    silentSince: async (since, limit) => {
      const rows = await queryRows(
        prisma,
        idRow,
        sql`SELECT id::text FROM attempts WHERE ${OPEN} AND news_at < ${since}::timestamptz
            ORDER BY news_at LIMIT ${limit}`,
      );
      return rows.map(({ id }) => id);
    },

    touch: async (ids, now) => {
      if (ids.length > 0) await touch(prisma, ids, now);
    },

    unpublished: (callIds) => unpublished(prisma, callIds),

    requestAgain: (callId, isUnpublished, now) =>
      transaction((tx) => requestAgain(tx, callId, isUnpublished, now)),
  };
}

async function touch(client: SqlClient, ids: string[], now: Date): Promise<void> {
  await client.$executeRaw(
    sql`UPDATE attempts SET news_at = ${now}::timestamptz WHERE id = ANY (${ids}::uuid[]) AND ${OPEN}`,
  );
}

/** One scan of the outbox for all: while the broker is available it is nearly empty. */
async function unpublished(client: SqlClient, callIds: readonly string[]): Promise<ReadonlySet<string>> {
  if (callIds.length === 0) return new Set();
  const rows = await queryRows(
    client,
    idRow,
    sql`SELECT id FROM (
        SELECT payload::json #>> '{data,call_id}' AS id FROM outbox WHERE type = 'dial.requested'
      ) AS requests WHERE id = ANY (${callIds}::text[])`,
  );
  return new Set(rows.map(({ id }) => id));
}

async function requestAgain(
  tx: Tx,
  callId: string,
  isUnpublished: boolean,
  now: Date,
): ReturnType<AttemptStore['requestAgain']> {
  await tx.$executeRaw(sql`SELECT id FROM attempts WHERE id = ${callId}::uuid FOR UPDATE`);
  const [row] = await findAttempts(tx, [callId]);
  if (row?.state === 'dialled' || row?.state === 'answered') return 'lost';
  if (row?.state !== 'requested') return 'wait';
  await tx.$executeRaw(sql`SELECT id FROM campaigns WHERE id = ${row.campaignId}::uuid FOR SHARE`);
  const { campaignId, contactId: id } = row;
  const campaign = toCampaign(await tx.campaign.findUniqueOrThrow({ where: { id: campaignId } }));
  // Until telephony has confirmed the withdrawal, the first request may still reach it and be dialed.
  if (campaign.withdrawalPending) return 'wait';
  if (campaign.status !== 'running' || campaign.generation !== row.generation) return 'unwanted';
  await touch(tx, [callId], now);
  // Otherwise an outage of the broker would add a message to the outbox with each check.
  if (isUnpublished) return 'wait';
  const contact = await tx.contact.findUniqueOrThrow({ where: { campaignId_id: { campaignId, id } } });
  const customData = contact.customData as Record<string, unknown> | null;
  await enqueue(tx, dialRequests(campaign, [{ callId, contact: { ...contact, customData } }], now));
  return 'requested';
}

const idRow = z.object({ id: z.string() });
const attemptRow = z.object({
  id: z.string(),
  state: z.enum(['requested', 'dialled', 'answered', 'ended', 'withdrawn', 'refused']),
  campaignId: z.string(),
  contactId: z.string(),
  outcome: z.string().nullable(),
  /** The contact's last call before this one was dialed. */
  previousCallId: z.string().nullable(),
  generation: z.number(),
  attempts: z.number(),
  lastCallId: z.string().nullable(),
  lastOutcome: z.string().nullable(),
  nextAttemptAt: z.date().nullable(),
  status: z.string(),
  maxRetries: z.number(),
  retryIntervals: z.array(z.number()),
});
type AttemptRow = z.infer<typeof attemptRow>;

function findAttempts(client: SqlClient, callIds: readonly string[]): Promise<AttemptRow[]> {
  return queryRows(
    client,
    attemptRow,
    sql`
    SELECT a.id::text, a.state, a.campaign_id::text AS "campaignId", a.contact_id::text AS "contactId", a.outcome,
      a.previous_call_id::text AS "previousCallId", a.generation, c.attempts, c.last_call_id::text AS "lastCallId",
      c.last_outcome AS "lastOutcome", c.next_attempt_at AS "nextAttemptAt",
      p.status, p.max_retries AS "maxRetries", p.retry_intervals AS "retryIntervals"
    FROM attempts a
    JOIN contacts c ON c.campaign_id = a.campaign_id AND c.id = a.contact_id
    JOIN campaigns p ON p.id = a.campaign_id
    WHERE a.id = ANY (${callIds}::uuid[])`,
  );
}

type Item = { callId: string; update: AttemptUpdate; now: Date };
type Step = { item: Item; row: AttemptRow; advance: Advance };

/** Reads, decides and writes until every update is applied or obsolete. An attempt has few states, so this ends. */
async function applyAll(client: SqlClient, items: readonly Item[]): Promise<(AppliedUpdate | undefined)[]> {
  const applied = new Map<Item, AppliedUpdate>();
  let left = items;
  while (left.length > 0) {
    const rows = await findAttempts(client, [...new Set(left.map(({ callId }) => callId))]);
    const steps = decide(left, rows);
    const written = steps.length > 0 ? await write(client, steps) : new Set<string>();
    for (const { item, row, advance } of steps) {
      // An attempt that another update changed in between is decided again.
      if (written.has(item.callId)) applied.set(item, toApplied(row, advance));
    }
    const changing = new Set(steps.map(({ item: { callId } }) => callId));
    left = left.filter((item) => changing.has(item.callId) && !applied.has(item));
  }
  return items.map((item) => applied.get(item));
}

/** The first update of each attempt that advances it; later ones are decided on its result. */
function decide(items: readonly Item[], rows: readonly AttemptRow[]): Step[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const steps = new Map<string, Step>();
  for (const item of items) {
    const row = byId.get(item.callId);
    if (!row || steps.has(item.callId)) continue;
    const isOver = row.status === 'cancelled' || row.status === 'completed';
    const rules = { ...row, isOver, now: item.now };
    const advance = advanceAttempt({ state: row.state, contact: row }, item.update, rules);
    if (advance) steps.set(item.callId, { item, row, advance });
  }
  return [...steps.values()];
}

/**
 * Attempts, contacts and tallies in one statement, of the attempts that are still in the state that was decided on: an
 * outcome is counted exactly when the contact gets it. While an attempt is open nothing else writes its contact. Attempts,
 * then tallies, are locked in one order, so that two of these can't deadlock. Returns the ids of written attempts.
 */
async function write(client: SqlClient, steps: readonly Step[]): Promise<Set<string>> {
  const rows = await queryRows(
    client,
    idRow,
    sql`
    WITH given AS MATERIALIZED (
      SELECT * FROM json_to_recordset(${JSON.stringify(steps.map(toRow))}::json) AS g (
        id uuid, was text, state text, outcome text, at timestamptz, status text, attempts int, last_outcome text,
        next_attempt_at timestamptz, last_call_id uuid, previous_call_id uuid, shard smallint)
    ), locked AS MATERIALIZED (
      SELECT id FROM attempts WHERE id = ANY (${steps.map(({ row }) => row.id)}::uuid[]) ORDER BY id FOR UPDATE
    ), attempt AS (
      UPDATE attempts a SET state = given.state, outcome = given.outcome, news_at = given.at,
        previous_call_id = given.previous_call_id
      FROM locked JOIN given ON given.id = locked.id WHERE a.id = locked.id AND a.state = given.was
      RETURNING a.id, a.campaign_id, a.contact_id
    ), contact AS (
      UPDATE contacts c SET status = given.status, attempts = given.attempts, last_outcome = given.last_outcome,
        next_attempt_at = given.next_attempt_at, last_call_id = given.last_call_id
      FROM attempt JOIN given ON given.id = attempt.id
      WHERE c.campaign_id = attempt.campaign_id AND c.id = attempt.contact_id
      RETURNING attempt.id, c.campaign_id, given.shard, c.status
    ), tally AS (
      INSERT INTO campaign_tallies AS t (campaign_id, shard, succeeded, failed)
      SELECT campaign_id, shard, count(*) FILTER (WHERE status = 'succeeded'), count(*) FILTER (WHERE status = 'failed')
      FROM contact WHERE status IN ('succeeded', 'failed') GROUP BY campaign_id, shard ORDER BY campaign_id, shard
      ON CONFLICT (campaign_id, shard) DO UPDATE
        SET succeeded = t.succeeded + EXCLUDED.succeeded, failed = t.failed + EXCLUDED.failed
    )
    SELECT id::text FROM contact`,
  );
  return new Set(rows.map(({ id }) => id));
}

function toRow({ item, row, advance: { state, contact } }: Step) {
  const isOver = state === 'ended' || state === 'refused';
  const before = row.state === 'requested' ? row.lastCallId : row.previousCallId;
  return {
    id: row.id,
    was: row.state,
    state,
    outcome: isOver ? contact.lastOutcome : row.outcome,
    at: item.now,
    status: contact.status,
    attempts: contact.attempts,
    last_outcome: contact.lastOutcome,
    next_attempt_at: contact.nextAttemptAt,
    last_call_id: contact.wasDialed ? row.id : before,
    previous_call_id: before,
    shard: Number.parseInt(row.contactId.slice(-1), 16),
  };
}

function toApplied({ campaignId, state }: AttemptRow, { contact: { status } }: Advance): AppliedUpdate {
  const isFinal = status === 'succeeded' || status === 'failed';
  return { campaignId, isFinal, freedSlot: state === 'requested' };
}
