import { forEachLimited } from '@parley/kit/concurrency';
import { queryRow, queryRows, type SqlClient, sql } from '@parley/kit/db';
import { z } from 'zod';
import { MAX_STORE_REQUESTS, type RecordingStore } from './ports.ts';

/*
 * Recordings of calls that have lost words. The transaction that removes the words has locked what live calls write, so it sends no requests to
 * the store: it notes the calls in `erased_recordings`, and a later transaction removes their files and these rows.
 */

const countRow = z.object({ count: z.number() });
const erasedRow = z.object({ callId: z.string() });

/**
 * From now on the calls have no recordings; returns how many had one. Call it when the jobs of the calls are void and locked: a call that
 * has a job is not noted, since the next claim of the job removes all files.
 */
export async function eraseRecordings(tx: SqlClient, callIds: readonly string[]): Promise<number> {
  // Not FOR UPDATE, which inserts into the turns of a call would wait for.
  const row = await queryRow(
    tx,
    countRow,
    sql`WITH recorded AS (
        SELECT id FROM calls WHERE id = ANY (${callIds}::uuid[]) AND recording_key IS NOT NULL
        ORDER BY id FOR NO KEY UPDATE
      ), erased AS (
        UPDATE calls c SET recording_key = NULL, recording_sid = NULL FROM recorded WHERE c.id = recorded.id
        RETURNING c.id, c.workspace_id
      ), noted AS (
        INSERT INTO erased_recordings (call_id, workspace_id) SELECT id, workspace_id FROM erased
        WHERE NOT EXISTS (SELECT FROM recording_jobs j WHERE j.call_id = erased.id)
        ON CONFLICT DO NOTHING
      )
      SELECT count(*)::int AS count FROM erased`,
  );
  return row?.count ?? 0;
}

/**
 * Removes the files of up to `maxCalls` erased recordings, of one workspace or of all (null). True if there may be more. No lock is needed: such a
 * call gets no recording again, and files may be removed twice.
 */
export async function removeErasedFiles(
  tx: SqlClient,
  recordings: Pick<RecordingStore, 'removeAll'>,
  { workspaceId, maxCalls }: { workspaceId: string | null; maxCalls: number },
): Promise<boolean> {
  const rows = await queryRows(
    tx,
    erasedRow,
    sql`SELECT call_id::text AS "callId" FROM erased_recordings
      WHERE ${workspaceId}::uuid IS NULL OR workspace_id = ${workspaceId}::uuid LIMIT ${maxCalls}`,
  );
  await forEachLimited(rows, MAX_STORE_REQUESTS, ({ callId }) => recordings.removeAll(callId));
  const ids = rows.map(({ callId }) => callId);
  await tx.$executeRaw(sql`DELETE FROM erased_recordings WHERE call_id = ANY (${ids}::uuid[])`);
  return rows.length === maxCalls;
}
