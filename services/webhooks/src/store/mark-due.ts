import type { DedicatedConnection } from '@parley/kit/db';
import { DB_NOW } from '@parley/kit/time';
import { WAITING } from './ready.ts';

const BATCH = 1_000;
/** Of each endpoint, where more than a batch is due. */
const BATCH_EACH = 8;

/** An edition waits for an older one's attempt, whatever its own time is. */
const DUE = `${WAITING} AND next_attempt_at <= $1
    AND (edition = 1 OR NOT EXISTS (
      SELECT FROM events older WHERE older.call_id = e.call_id AND older.event = e.event
        AND older.edition < e.edition AND older.status = 'pending'
    ))`;

const MARK = `
WITH due AS (
  SELECT id FROM events e
  WHERE ${DUE}
  ORDER BY next_attempt_at LIMIT $2
  FOR UPDATE SKIP LOCKED
),
marked AS (UPDATE events e SET ready = true FROM due WHERE e.id = due.id RETURNING 1)
SELECT (SELECT count(*) FROM marked)::int AS marked, (
  SELECT next_attempt_at FROM events WHERE ${WAITING} AND next_attempt_at > $1 ORDER BY next_attempt_at LIMIT 1
) AS "nextDueAt"`;

/** The oldest of each endpoint that has something waiting, found one after the other by a loose scan. */
const MARK_EACH = `
WITH RECURSIVE turn AS (
  (SELECT workspace_id, agent_id FROM events WHERE ${WAITING} ORDER BY workspace_id, agent_id LIMIT 1)
  UNION ALL
  SELECT following.workspace_id, following.agent_id FROM turn CROSS JOIN LATERAL (
    SELECT e.workspace_id, e.agent_id FROM events e
    WHERE ${WAITING} AND (e.workspace_id, e.agent_id) > (turn.workspace_id, turn.agent_id)
    ORDER BY e.workspace_id, e.agent_id LIMIT 1
  ) following
),
due AS MATERIALIZED (
  SELECT own.id FROM turn CROSS JOIN LATERAL (
    SELECT id FROM events e
    WHERE e.workspace_id = turn.workspace_id AND e.agent_id = turn.agent_id AND ${DUE}
    ORDER BY next_attempt_at LIMIT $2
  ) own
)
UPDATE events SET ready = true
WHERE id = ANY (ARRAY (
  SELECT id FROM events WHERE id = ANY (ARRAY (SELECT id FROM due)) AND (${WAITING}) IS TRUE FOR UPDATE SKIP LOCKED
))`;

/** Marks what has become due by `now` as ready; gives the instant at which it has to be called again. */
export async function markDue(connection: DedicatedConnection, now: Date): Promise<Date | undefined> {
  const { rows } = await connection.query<{ marked: number; nextDueAt: Date | null }>({
    name: 'mark due',
    text: MARK,
    values: [now, BATCH],
  });
  const [row] = rows;
  if (row?.marked !== BATCH) return row?.nextDueAt ?? undefined;
  // One endpoint's backlog, which may be the oldest, is not in the way of what is due at the others.
  await connection.query({ name: 'mark each', text: MARK_EACH, values: [now, BATCH_EACH] });
  return now;
}

/** Gives back what a deliverer leased that is no more: its lease ran out. */
export async function freeExpired(connection: DedicatedConnection): Promise<void> {
  await connection.query({
    name: 'free expired',
    text: `UPDATE events SET ready = true, lease_until = NULL
      WHERE id = ANY (ARRAY (
        SELECT id FROM events WHERE lease_until <= ${DB_NOW} AND status = 'pending' FOR UPDATE SKIP LOCKED
      ))`,
  });
}
