import { gather, type Sql } from '@parley/kit/db';
import { type Advance, type AttemptState, advanceAttempt, type News } from '../domain/advance-attempt.ts';
import type { AttemptStore, Settled } from '../domain/ports.ts';

const FIND = `
  SELECT a.id::text, a.state, a.campaign_id::text AS "campaignId", a.contact_id::text AS "contactId", a.outcome,
    a.previous_call_id::text AS "previousCallId", a.generation, c.attempts, c.last_call_id::text AS "lastCallId",
    c.last_outcome AS "lastOutcome", c.next_attempt_at AS "nextAttemptAt",
    p.status, p.max_retries AS "maxRetries", p.retry_intervals AS "retryIntervals"
  FROM attempts a
  JOIN contacts c ON c.campaign_id = a.campaign_id AND c.id = a.contact_id
  JOIN campaigns p ON p.id = a.campaign_id
  WHERE a.id = ANY ($1::uuid[])`;

/**
 * Attempts, contacts and tallies in one statement, of those attempts that are still in the state that was decided on: an
 * outcome is counted exactly when the contact gets it. While an attempt is open nothing else writes its contact. Attempts,
 * then tallies are locked in one order, so that no two of these wait for each other.
 */
const ADVANCE = `
  WITH given AS MATERIALIZED (
    SELECT * FROM json_to_recordset($1::json) AS g (id uuid, was text, state text, outcome text, at timestamptz,
      status text, attempts int, last_outcome text, next_attempt_at timestamptz, last_call_id uuid, previous_call_id uuid, shard smallint)
  ), held AS MATERIALIZED (
    SELECT id FROM attempts WHERE id = ANY ($2::uuid[]) ORDER BY id FOR UPDATE
  ), attempt AS (
    UPDATE attempts a SET state = given.state, outcome = given.outcome, news_at = given.at,
      previous_call_id = given.previous_call_id
    FROM held JOIN given ON given.id = held.id WHERE a.id = held.id AND a.state = given.was
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
  SELECT id::text FROM contact`;

type AttemptRow = {
  id: string;
  state: AttemptState;
  campaignId: string;
  contactId: string;
  outcome: string | null;
  /** The contact's last call before this one was dialled. */
  previousCallId: string | null;
  generation: number;
  attempts: number;
  lastCallId: string | null;
  lastOutcome: string | null;
  nextAttemptAt: Date | null;
  status: string;
  maxRetries: number;
  retryIntervals: number[];
};

type Item = { callId: string; news: News; now: Date };
type Step = { item: Item; row: AttemptRow; advance: Advance };

/** News that come while others are written are written together; a lone one waits for nobody. */
export function createSettle(sql: Sql): AttemptStore['settle'] {
  const settle = gather((items: Item[]) => settleAll(sql, items));
  return (callId, news, now) => settle({ callId: callId.toLowerCase(), news, now });
}

export function findAttempts(sql: Sql, callIds: readonly string[]): Promise<AttemptRow[]> {
  return sql.$queryRawUnsafe<AttemptRow[]>(FIND, callIds);
}

async function settleAll(sql: Sql, items: readonly Item[]): Promise<Settled[]> {
  const settled = new Map<Item, Settled>();
  let left = items;
  while (left.length > 0) {
    const steps = plan(left, await findAttempts(sql, [...new Set(left.map(({ callId }) => callId))]));
    const written = steps.length > 0 ? await write(sql, steps) : new Set<string>();
    for (const { item, row, advance } of steps) {
      // Where other news came first it is decided again: an attempt has few states, so this ends.
      if (written.has(item.callId)) settled.set(item, toSettled(row, advance));
    }
    const undecided = new Set(steps.map(({ item: { callId } }) => callId));
    left = left.filter((item) => undecided.has(item.callId) && !settled.has(item));
  }
  return items.map((item) => settled.get(item));
}

/** The first piece of news of each attempt that leads it forward; later ones are judged by what that made of it. */
function plan(items: readonly Item[], rows: readonly AttemptRow[]): Step[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const steps = new Map<string, Step>();
  for (const item of items) {
    const row = byId.get(item.callId);
    if (!row || steps.has(item.callId)) continue;
    const isOver = row.status === 'cancelled' || row.status === 'completed';
    const advance = advanceAttempt({ state: row.state, contact: row }, item.news, { ...row, isOver });
    if (advance) steps.set(item.callId, { item, row, advance });
  }
  return [...steps.values()];
}

/** Gives the attempts that were still as they had been read. */
async function write(sql: Sql, steps: readonly Step[]): Promise<Set<string>> {
  const rows = await sql.$queryRawUnsafe<{ id: string }[]>(
    ADVANCE,
    JSON.stringify(steps.map(toRow)),
    steps.map(({ row }) => row.id),
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
    at: item.now.toISOString(),
    status: contact.status,
    attempts: contact.attempts,
    last_outcome: contact.lastOutcome,
    next_attempt_at: contact.nextAttemptAt?.toISOString() ?? null,
    last_call_id: contact.wasDialled ? row.id : before,
    previous_call_id: before,
    shard: Number.parseInt(row.contactId.slice(-1), 16),
  };
}

function toSettled({ campaignId, state }: AttemptRow, { contact: { status } }: Advance): Settled {
  const isFinal = status === 'succeeded' || status === 'failed';
  return { campaignId, isFinal, gaveCredit: state === 'requested' };
}
