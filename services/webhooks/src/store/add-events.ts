import type { Sql } from '@parley/kit/db';
import type { NewEvent } from '../domain/events/make-event.ts';

/**
 * Blocked while one of the earlier events is pending or hasn't arrived; due at the end of the hold all the same. Blocked
 * too while an older edition is being attempted: whatever ends that attempt releases it, and until then it isn't ready.
 * An edition that comes after a newer one is kept for the record alone.
 */
const ADD = `
INSERT INTO events (id, workspace_id, call_id, agent_id, event, edition, position, body, hold_until,
  status, reason, blocked, next_attempt_at, ready, created_at, traceparent)
SELECT g.id, g.workspace_id, g.call_id, g.agent_id, g.event, g.edition, g.position, g.body, g.hold_until,
  CASE WHEN late THEN 'failed' ELSE 'pending' END, CASE WHEN late THEN 'superseded' END,
  NOT late AND (waits OR behind),
  CASE WHEN NOT late THEN due_at END, NOT late AND NOT behind AND due_at <= $2::timestamptz,
  $2::timestamptz, g.traceparent
FROM json_to_recordset($1::json) AS g (
  id uuid, workspace_id uuid, call_id uuid, agent_id uuid, event text, edition int, position smallint, body text,
  hold_until timestamptz, waits_for smallint[], traceparent text)
CROSS JOIN LATERAL (
  SELECT coalesce(bool_or(e.event = g.event AND e.edition > g.edition), false) AS late,
    coalesce(bool_or(e.event = g.event AND e.edition < g.edition AND e.status = 'pending'), false) AS behind,
    count(DISTINCT e.position) FILTER (WHERE e.status <> 'pending' AND e.position = ANY (g.waits_for))
      < cardinality(g.waits_for) AS waits
  FROM events e WHERE e.call_id = g.call_id
) AS order_of_call
CROSS JOIN LATERAL (
  SELECT CASE WHEN waits OR behind THEN greatest(g.hold_until, $2::timestamptz) ELSE $2::timestamptz END
) AS due (due_at)
ON CONFLICT (call_id, event, edition) DO NOTHING`;

/** At most one edition of each event of a call at once. Needs the locks of the calls. */
export async function addEvents(tx: Sql, events: readonly NewEvent[], now: Date): Promise<void> {
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
  await tx.$executeRawUnsafe(ADD, JSON.stringify(rows), now);
}
