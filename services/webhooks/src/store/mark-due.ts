import type { DedicatedConnection } from '@parley/kit/db';
import { DB_NOW } from '@parley/kit/time';
import { WAITING } from './ready.ts';

const BATCH = 1_000;

/** An edition waits for an older one's attempt, whatever its own time is. */
const MARK = `
WITH due AS (
  SELECT id FROM events e
  WHERE ${WAITING} AND next_attempt_at <= $1
    AND (edition = 1 OR NOT EXISTS (
      SELECT FROM events older WHERE older.call_id = e.call_id AND older.event = e.event
        AND older.edition < e.edition AND older.status = 'pending'
    ))
  ORDER BY next_attempt_at LIMIT $2
  FOR UPDATE SKIP LOCKED
),
marked AS (UPDATE events e SET ready = true FROM due WHERE e.id = due.id RETURNING 1)
SELECT (SELECT count(*) FROM marked)::int AS marked, (
  SELECT next_attempt_at FROM events WHERE ${WAITING} AND next_attempt_at > $1 ORDER BY next_attempt_at LIMIT 1
) AS "nextDueAt"`;

/** Marks what has become due by `now` as ready; gives the instant at which it has to be called again. */
export async function markDue(connection: DedicatedConnection, now: Date): Promise<Date | undefined> {
  const { rows } = await connection.query<{ marked: number; nextDueAt: Date | null }>({
    name: 'mark due',
    text: MARK,
    values: [now, BATCH],
  });
  const [row] = rows;
  if (row?.marked === BATCH) return now;
  return row?.nextDueAt ?? undefined;
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
