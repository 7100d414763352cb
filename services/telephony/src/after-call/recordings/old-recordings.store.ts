import { queryRows, type SqlClient, sql } from '@parley/kit/db';
import { z } from 'zod';

const row = z.object({ callId: z.string(), key: z.string() });

/**
 * Recordings of calls that ended before, oldest first, locked until the transaction ends; those that another transaction has
 * locked are skipped. A workspace's own retention takes precedence over the operator's.
 */
export function lockOldRecordings(
  tx: SqlClient,
  before: Date,
  limit: number,
): Promise<z.infer<typeof row>[]> {
  return queryRows(
    tx,
    row,
    sql`SELECT id::text AS "callId", recording_key AS key FROM calls
      WHERE recording_key IS NOT NULL AND ended_at < ${before}::timestamptz
        AND NOT EXISTS (SELECT FROM retention r WHERE r.workspace_id = calls.workspace_id AND r.recordings IS NOT NULL)
      ORDER BY ended_at LIMIT ${limit} FOR UPDATE SKIP LOCKED`,
  );
}

export async function forgetRecordings(tx: SqlClient, callIds: readonly string[], now: Date): Promise<void> {
  await tx.$executeRaw(
    sql`UPDATE calls SET recording_key = NULL, updated_at = ${now}::timestamptz WHERE id = ANY (${callIds}::uuid[])`,
  );
}
