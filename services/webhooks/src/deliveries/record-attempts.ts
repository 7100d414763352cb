import type { DeliveryReason } from '@parley/contracts';
import { type DedicatedConnection, queryRows, type SqlClient, sql } from '@parley/kit/db';
import { z } from 'zod';
import { inTransaction } from '../database.ts';
import { lockCalls } from '../events/events.store.ts';
import type { Claim } from './claim-due.ts';
import type { NextStep } from './schedule.ts';

/** One attempt with its whole exchange. */
export type Attempt = {
  url: string;
  startedAt: Date;
  durationMs: number;
  reason: DeliveryReason;
  status: number;
  error: string | null;
  requestHeaders: Record<string, string>;
  response: { headers: Record<string, string>; body: string } | null;
};

/** The result of a claim. */
export type ClaimResult = {
  claim: Pick<Claim, 'id' | 'callId' | 'fence' | 'attempts'>;
  /** Null: nothing was attempted. */
  attempt: Attempt | null;
  next: NextStep;
  /** Null: the claim is returned as if it had never been made. */
  reason: DeliveryReason | null;
};

/**
 * Records attempts and the next steps of their events, and releases the next events of their calls, in one transaction. False for
 * lost claims, whose events another process has leased: nothing is written for them.
 */
export function recordAttempts(
  connection: DedicatedConnection,
  results: readonly ClaimResult[],
  now: Date,
): Promise<boolean[]> {
  const callOf = new Map(results.map(({ claim }) => [claim.id, claim.callId]));
  return inTransaction(connection, async (tx) => {
    await lockCalls(tx, [...callOf.values()]);
    const rows = await updateEvents(tx, results);
    const finished = rows.flatMap(({ id, status }) => (status === 'pending' ? [] : (callOf.get(id) ?? [])));
    if (finished.length > 0) await releaseNext(tx, [...new Set(finished)], now);
    const done = new Set(rows.map(({ id, fence }) => `${id} ${fence}`));
    return results.map(({ claim }) => done.has(`${claim.id} ${claim.fence}`));
  });
}

const updatedRow = z.object({ id: z.string(), fence: z.number(), status: z.string() });

/**
 * `made` makes it idempotent: if the acknowledgement of an earlier commit was lost, the event already has one attempt more. An event
 * with a newer edition ends as `superseded` instead of being retried, since a retry would arrive after the newer one.
 */
function updateEvents(tx: SqlClient, results: readonly ClaimResult[]) {
  return queryRows(
    tx,
    updatedRow,
    sql`
    WITH given AS MATERIALIZED (
      SELECT g.*, g.status = 'pending' AND EXISTS (
        SELECT FROM events e JOIN events newer USING (call_id, event) WHERE e.id = g.id AND newer.edition > e.edition
      ) AS superseded
      FROM json_to_recordset(${JSON.stringify(results.map(toRow))}::json) AS g (
        id uuid, fence int, status text, next_attempt_at timestamptz, reason text, made int, attempts int, url text,
        started_at timestamptz, duration_ms int, http_status int, error text, request_headers jsonb, response_headers jsonb,
        response_body text)
    ),
    updated AS (
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
      FROM updated WHERE url IS NOT NULL
    )
    SELECT id, fence, status FROM updated`,
  );
}

function toRow({ claim: { id, fence, attempts }, attempt, next, reason }: ClaimResult) {
  return {
    id,
    fence,
    status: next.status,
    next_attempt_at: next.status === 'pending' ? next.nextAttemptAt : null,
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

/**
 * Makes the first pending event of each call due if it was blocked. If it is being attempted, because its hold has ended,
 * it keeps its lease.
 */
async function releaseNext(tx: SqlClient, callIds: readonly string[], now: Date): Promise<void> {
  await tx.$executeRaw(sql`
    UPDATE events e SET blocked = false, next_attempt_at = ${now}::timestamptz, ready = (e.lease_until IS NULL)
    FROM (
      SELECT DISTINCT ON (call_id) id, blocked FROM events
      WHERE call_id = ANY (${callIds}::uuid[]) AND status = 'pending' ORDER BY call_id, position, edition
    ) AS first
    WHERE e.id = first.id AND first.blocked
      -- The hold may have finished call_ended before call_started arrived.
      AND (e.position < 3 OR EXISTS (
        SELECT FROM events ended WHERE ended.call_id = e.call_id AND ended.position = 2 AND ended.status <> 'pending'
      ))`);
}
