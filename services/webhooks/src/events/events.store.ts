import { type SqlClient, sql } from '@parley/kit/db';
import type { NewEvent } from './make-event.ts';

// Every pending event is in exactly one of three states, each with partial indexes of its own.

/** Due and unleased (`events_ready_idx`). */
export const READY = sql`ready AND status = 'pending' AND lease_until IS NULL`;

/** Not due, or due and not yet marked by `markDue` (`events_waiting_idx`, `events_waiting_by_endpoint_idx`). */
export const WAITING = sql`NOT ready AND status = 'pending' AND lease_until IS NULL`;

/** Being attempted (`events_leased_idx`). */
export const LEASED = sql`status = 'pending' AND lease_until IS NOT NULL`;

/** Of `events e`: the attempts are exhausted, and no newer edition replaces it (`events_exhausted_idx`). */
export const EXHAUSTED = sql`e.status = 'failed' AND e.reason NOT IN ('superseded', 'no_webhook_url')
  AND NOT EXISTS (
    SELECT FROM events newer WHERE newer.call_id = e.call_id AND newer.event = e.event AND newer.edition > e.edition
  )`;

/**
 * Serializes transactions that add or finish events of these calls, so that "is the earlier event finished" and "release the
 * next event" never miss each other. Locks in one order, whatever the spelling of the ids.
 */
export async function lockCalls(tx: SqlClient, callIds: readonly string[]): Promise<void> {
  await tx.$queryRaw(sql`
    SELECT pg_advisory_xact_lock(key)::text FROM (
      SELECT DISTINCT hashtextextended(id::text, 0) AS key FROM unnest(${callIds}::uuid[]) AS id ORDER BY key
    ) calls`);
}

/**
 * Closes pending editions that are older than these, so that the worse transcript never arrives last. An edition that is
 * being attempted is left alone: its record closes it and releases the newest. Requires `lockCalls`.
 */
export async function supersedeOlder(
  tx: SqlClient,
  editions: readonly Pick<NewEvent, 'callId' | 'event' | 'edition'>[],
): Promise<void> {
  const later = editions.filter(({ edition }) => edition > 1);
  if (later.length === 0) return;
  await tx.$executeRaw(sql`
    UPDATE events e SET status = 'failed', reason = 'superseded', blocked = false, ready = false, next_attempt_at = NULL,
      lease_until = NULL
    FROM unnest(
      ${later.map(({ callId }) => callId)}::uuid[], ${later.map(({ event }) => event)}::text[],
      ${later.map(({ edition }) => edition)}::int[]
    ) AS newest (call_id, event, edition)
    WHERE e.call_id = newest.call_id AND e.event = newest.event AND e.edition < newest.edition AND e.status = 'pending'
      AND (e.lease_until IS NULL OR e.lease_until <= clock_timestamp())`);
}

/**
 * Stores events, at most one edition of each event of a call. Requires `lockCalls`.
 * - `waits`: an earlier event of the call is pending or hasn't arrived; due at the end of the hold at the latest.
 * - `behind`: an older edition is being attempted; its record releases this one, which isn't ready before.
 * - `late`: a newer edition is already stored; this one is kept for the record only.
 */
export async function addEvents(tx: SqlClient, events: readonly NewEvent[], now: Date): Promise<void> {
  const rows = events.map((event) => ({
    id: event.id,
    workspace_id: event.workspaceId,
    call_id: event.callId,
    agent_id: event.agentId,
    event: event.event,
    edition: event.edition,
    position: event.position,
    body: event.body,
    hold_until: event.holdUntil,
    waits_for: event.waitsFor,
    traceparent: event.traceparent,
  }));
  await tx.$executeRaw(sql`
    INSERT INTO events (id, workspace_id, call_id, agent_id, event, edition, position, body, hold_until,
      status, reason, blocked, next_attempt_at, ready, created_at, traceparent)
    SELECT n.id, n.workspace_id, n.call_id, n.agent_id, n.event, n.edition, n.position, n.body, n.hold_until,
      CASE WHEN late THEN 'failed' ELSE 'pending' END, CASE WHEN late THEN 'superseded' END,
      NOT late AND (waits OR behind),
      CASE WHEN NOT late THEN due_at END, NOT late AND NOT behind AND due_at <= now, now, n.traceparent
    FROM (SELECT ${now}::timestamptz AS now) clock
    CROSS JOIN json_to_recordset(${JSON.stringify(rows)}::json) AS n (
      id uuid, workspace_id uuid, call_id uuid, agent_id uuid, event text, edition int, position smallint, body text,
      hold_until timestamptz, waits_for smallint[], traceparent text)
    CROSS JOIN LATERAL (
      SELECT coalesce(bool_or(e.event = n.event AND e.edition > n.edition), false) AS late,
        coalesce(bool_or(e.event = n.event AND e.edition < n.edition AND e.status = 'pending'), false) AS behind,
        count(DISTINCT e.position) FILTER (WHERE e.status <> 'pending' AND e.position = ANY (n.waits_for))
          < cardinality(n.waits_for) AS waits
      FROM events e WHERE e.call_id = n.call_id
    ) AS order_of_call
    CROSS JOIN LATERAL (
      SELECT CASE WHEN waits OR behind THEN greatest(n.hold_until, now) ELSE now END
    ) AS due (due_at)
    ON CONFLICT (call_id, event, edition) DO NOTHING`);
}
