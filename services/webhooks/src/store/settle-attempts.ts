import type { DedicatedConnection } from '@parley/kit/db';
import type { AttemptRecord, Claim, NextStep } from '../domain/delivery/ports.ts';
import { lockCalls } from './call-lock.ts';
import { tellExhausted } from './exhausted.ts';
import { inTransaction, sqlOf } from './in-transaction.ts';

/** How a claimed event goes on. */
export type Settlement = {
  claim: Pick<Claim, 'id' | 'callId' | 'fence' | 'attempts'>;
  /** Null: nothing was attempted. */
  attempt: AttemptRecord | null;
  next: NextStep;
  /** Null: the claim is given back as if it had never been made. */
  reason: string | null;
};

type Settled = { id: string; fence: number; status: string };

/**
 * Where a newer edition has come meanwhile, nothing is tried again: it would arrive after the better one. `made`: what was
 * recorded already, by a commit whose answer got lost, has one attempt more and is left as it is.
 */
const SETTLE = `
WITH given AS MATERIALIZED (
  SELECT g.*, g.status = 'pending' AND EXISTS (
    SELECT FROM events e JOIN events newer USING (call_id, event) WHERE e.id = g.id AND newer.edition > e.edition
  ) AS superseded
  FROM json_to_recordset($1::json) AS g (
    id uuid, fence int, status text, next_attempt_at timestamptz, reason text, made int, attempts int, url text,
    started_at timestamptz, duration_ms int, http_status int, error text, request_headers jsonb, response_headers jsonb,
    response_body text)
),
settled AS (
  UPDATE events e SET
    status = CASE WHEN g.superseded THEN 'failed' ELSE g.status END,
    next_attempt_at = CASE WHEN g.superseded THEN NULL ELSE g.next_attempt_at END,
    reason = CASE WHEN g.superseded THEN 'superseded' ELSE coalesce(g.reason, e.reason) END,
    blocked = e.blocked AND g.reason IS NULL AND NOT g.superseded,
    attempts = g.attempts, ready = false, lease_until = NULL
  FROM given g WHERE e.id = g.id AND e.fence = g.fence AND e.attempts = g.made AND e.status = 'pending'
  RETURNING e.id, e.fence, e.workspace_id, e.series, e.attempts, e.status, g.reason AS given_reason, g.url,
    g.started_at, g.duration_ms, g.http_status, g.error, g.request_headers, g.response_headers, g.response_body
),
logged AS (
  INSERT INTO attempts (event_id, workspace_id, series, attempt, url, started_at, duration_ms, reason, status, error,
    request_headers, response_headers, response_body)
  SELECT id, workspace_id, series, attempts, url, started_at, duration_ms, given_reason, http_status, error,
    request_headers, response_headers, response_body
  FROM settled WHERE url IS NOT NULL
)
SELECT id, fence, status FROM settled`;

/**
 * The first unfinished event of each call, if it waited for one that is finished now: due at once. One that is just being
 * attempted, since its hold is over, stays with whoever has it.
 */
const RELEASE = `
UPDATE events e SET blocked = false, next_attempt_at = $2, ready = (e.lease_until IS NULL)
FROM (
  SELECT DISTINCT ON (call_id) id, blocked FROM events
  WHERE call_id = ANY ($1::uuid[]) AND status = 'pending' ORDER BY call_id, position, edition
) AS first
WHERE e.id = first.id AND first.blocked
  -- call_ended may have been finished by its hold before call_started ever came.
  AND (e.position < 3 OR EXISTS (
    SELECT FROM events ended WHERE ended.call_id = e.call_id AND ended.position = 2 AND ended.status <> 'pending'
  ))`;

/**
 * Attempts, the next steps of their events and the release of their calls' next events, in one transaction under the locks
 * of the calls. Tells of each whether it was still this process's to settle.
 */
export function settleAttempts(
  connection: DedicatedConnection,
  settlements: readonly Settlement[],
  now: Date,
): Promise<boolean[]> {
  const callOf = new Map(settlements.map(({ claim }) => [claim.id, claim.callId]));
  return inTransaction(connection, async (client) => {
    await lockCalls(sqlOf(client), [...callOf.values()]);
    const values = [JSON.stringify(settlements.map(toRow))];
    const { rows } = await client.query<Settled>({ name: 'settle', text: SETTLE, values });
    const done = new Set(rows.map(({ id, fence }) => `${id} ${fence}`));
    const isDone = ({ claim }: Settlement): boolean => done.has(`${claim.id} ${claim.fence}`);
    await tellExhausted(sqlOf(client), settlements.filter(isDone).flatMap(toExhausted), now);
    const finished = rows.filter(({ status }) => status !== 'pending').map(({ id }) => callOf.get(id));
    if (finished.length > 0) {
      await client.query({ name: 'release', text: RELEASE, values: [[...new Set(finished)], now] });
    }
    return settlements.map(isDone);
  });
}

function toRow({ claim: { id, fence, attempts }, attempt, next, reason }: Settlement) {
  const nextAttemptAt = next.status === 'pending' ? next.nextAttemptAt : null;
  return {
    id,
    fence,
    status: next.status,
    next_attempt_at: nextAttemptAt,
    reason,
    made: attempts,
    attempts: attempts + (attempt ? 1 : 0),
    ...(attempt && {
      url: attempt.url,
      started_at: attempt.startedAt,
      duration_ms: attempt.durationMs,
      http_status: attempt.status,
      error: attempt.error,
      request_headers: attempt.requestHeaders,
      response_headers: attempt.response?.headers,
      response_body: attempt.response?.body,
    }),
  };
}

function toExhausted({ claim, attempt, next }: Settlement) {
  return attempt && next.status === 'failed' ? [{ eventId: claim.id, attempt }] : [];
}
