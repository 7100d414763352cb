import { forEachLimited } from '@parley/kit/concurrency';
import { queryRows, raw, type SqlClient, type Statement, sql } from '@parley/kit/db';
import { z } from 'zod';
import { markSegmentsRemovable } from '../after-call/recordings/live/segments.store.ts';
import { MAX_STORE_REQUESTS, type RecordingStore } from '../after-call/recordings/ports.ts';
import { callOf } from '../after-call/recordings/recording-keys.ts';
import { lockRecordingJobs } from '../after-call/recordings/recording-queue.store.ts';

/**
 * Whether call `c` is over and no living worker makes its recording or analysis. A dead worker's claim doesn't count, even
 * while its lease runs.
 */
export const IS_IDLE = sql`
  c.status = 'completed'
  AND (c.analysis_due_at IS NULL OR c.analysis_lease_until IS NULL OR c.analysis_lease_until < clock_timestamp()
    OR NOT EXISTS (SELECT FROM call_workers w WHERE w.id = c.worker_id AND w.expires_at > clock_timestamp()))
  AND NOT EXISTS (
    SELECT FROM recording_jobs j JOIN call_workers w ON w.id = j.worker_id AND w.expires_at > clock_timestamp()
    WHERE j.call_id = c.id AND j.lease_until > clock_timestamp())`;

/** A call with the key of its recording, if it has one. */
export const callRow = z.object({ id: z.string(), key: z.string().nullable() });

type CallRow = z.infer<typeof callRow>;
export type Recordings = Pick<RecordingStore, 'remove' | 'removeAll'>;

const idRow = z.object({ id: z.string() });
const lockedRow = callRow.extend({ idle: z.boolean() });

/**
 * Locks the calls whose ids are found, and their recording jobs: no worker claims one of these until the transaction ends. Calls in progress
 * are not idle, and not locked: the worker would wait with the turns of all its calls while files are removed.
 */
export async function lockCalls(tx: SqlClient, find: Statement): Promise<z.infer<typeof lockedRow>[]> {
  const ids = (await queryRows(tx, idRow, find)).map(({ id }) => id);
  const jobs = await lockRecordingJobs(tx, ids);
  const completed = await queryRows(
    tx,
    idRow,
    sql`SELECT id::text FROM calls WHERE id = ANY (${ids}::uuid[]) AND status = 'completed' ORDER BY id FOR UPDATE`,
  );
  const locked = completed.map(({ id }) => id);
  // The locks may have been waited for. A job that is not locked is of a call that has ended meanwhile.
  return queryRows(
    tx,
    lockedRow,
    sql`SELECT c.id::text, c.recording_key AS key, (c.id = ANY (${locked}::uuid[]) AND ${IS_IDLE} AND NOT EXISTS (
        SELECT FROM recording_jobs j WHERE j.call_id = c.id AND j.call_id <> ALL (${jobs}::uuid[]))) AS idle
      FROM calls c WHERE c.id = ANY (${ids}::uuid[]) ORDER BY c.id`,
  );
}

/** Tables without a foreign key; turns and tool executions are deleted with their call. */
const TABLES_BY_CALL = [
  'call_events',
  'web_messages',
  'web_lines',
  'recording_jobs',
  'erased_recordings',
  'transcription_jobs',
  'dial_requests',
  'sip_messages',
];

/** Deletes calls, which are locked, with all their data. */
export async function deleteCalls(
  tx: SqlClient,
  recordings: Recordings,
  calls: readonly CallRow[],
): Promise<{ calls: number; recordings: number }> {
  if (calls.length === 0) return { calls: 0, recordings: 0 };
  await removeFiles(tx, recordings, calls);
  const ids = calls.map(({ id }) => id);
  for (const table of TABLES_BY_CALL)
    await tx.$executeRaw(sql`DELETE FROM ${raw(table)} WHERE call_id = ANY (${ids}::uuid[])`);
  await tx.$executeRaw(sql`DELETE FROM simulated_legs WHERE reference = ANY (${ids}::uuid[])`);
  const count = await tx.$executeRaw(sql`DELETE FROM calls WHERE id = ANY (${ids}::uuid[])`);
  return { calls: count, recordings: countRecordings(calls) };
}

/**
 * Call before the commit that deletes the rows, so that it is repeated after a crash. Workers remove the segments that they
 * recorded during the calls.
 */
export async function removeFiles(
  tx: SqlClient,
  recordings: Recordings,
  calls: readonly CallRow[],
): Promise<void> {
  await markSegmentsRemovable(
    tx,
    calls.map(({ id }) => id),
  );
  await forEachLimited(calls, MAX_STORE_REQUESTS, async ({ id, key }) => {
    await recordings.removeAll(id);
    if (key && callOf(key) !== id) await recordings.remove(key);
  });
}

export const countRecordings = (calls: readonly CallRow[]): number =>
  calls.filter(({ key }) => key !== null).length;
