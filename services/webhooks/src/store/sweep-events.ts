import type { Sql } from '@parley/kit/db';

const BATCH = 1_000;

/**
 * Forgets the oldest events, those that are over and were made before `keepFrom`; whether there may be more. Ids grow with
 * time, so the oldest are the first of the primary key.
 */
export async function sweepEvents(sql: Sql, keepFrom: Date): Promise<boolean> {
  const gone = await sql.$executeRawUnsafe(
    `DELETE FROM events WHERE id = ANY (ARRAY (
       SELECT id FROM events
       WHERE id = ANY (ARRAY (SELECT id FROM events ORDER BY id LIMIT ${BATCH}))
         AND created_at < $1::timestamptz AND status <> 'pending'
       FOR UPDATE SKIP LOCKED
     ))`,
    keepFrom,
  );
  return gone > 0;
}
