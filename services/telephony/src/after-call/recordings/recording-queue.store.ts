import { createBatcher } from '@parley/kit/concurrency';
import { queryRows, sql } from '@parley/kit/db';
import { z } from 'zod';
import type { PrismaClient } from '../../prisma.ts';
import type { Call } from '../../sessions/call.ts';
import { callColumns, callRow, toCall } from '../../sessions/call-rows.store.ts';

/** A recording that this worker has claimed. */
export type DueRecording = {
  call: Call;
  /** Claims including this one: a later claim voids this one. */
  attempts: number;
};

export type StoredRecording = { key: string; sid: string; seconds: number; bytes: number };

export type RecordingQueue = ReturnType<typeof createRecordingQueue>;

/** A living worker's claim lasts longer than the longest recording takes, by the database's clock. */
const CLAIM_MINUTES = 20;

const dueRow = callRow.extend({ attempts: z.number() });

const idRow = z.object({ id: z.string() });

type Finished = { due: DueRecording; stored: StoredRecording | null; now: Date };

export function createRecordingQueue({ sql: prisma, workerId }: { sql: PrismaClient; workerId: string }) {
  const finish = createBatcher(async (finished: Finished[]) => {
    // A statement is a transaction. Without a key there is no recording.
    await prisma.$executeRaw(sql`
      WITH given AS (
        SELECT * FROM json_to_recordset(${JSON.stringify(finished.map(toRow))}::json) AS row (call_id uuid, attempts int,
          key text, sid text, detail json, at timestamptz)
      ), done AS (
        DELETE FROM recording_jobs j USING given WHERE j.call_id = given.call_id AND j.attempts = given.attempts
        RETURNING given.*
      ), saved AS (
        UPDATE calls c SET recording_key = done.key, recording_sid = done.sid, analysis_due_at = done.at, updated_at = done.at
        FROM done WHERE c.id = done.call_id
        RETURNING c.id, done.at, done.detail, done.key
      )
      INSERT INTO call_events (call_id, at, type, detail)
      SELECT id, at, 'recording_stored', detail FROM saved WHERE key IS NOT NULL`);
    return finished.map(() => undefined);
  });

  return {
    claim: async (now: Date, limit: number): Promise<DueRecording[]> => {
      const rows = await queryRows(
        prisma,
        dueRow,
        sql`UPDATE recording_jobs j SET worker_id = ${workerId}::uuid, attempts = attempts + 1,
            lease_until = clock_timestamp() + ${CLAIM_MINUTES}::int * interval '1 minute'
          FROM calls c
          WHERE c.id = j.call_id AND j.call_id = ANY (ARRAY (
            SELECT call_id FROM recording_jobs due
            WHERE due_at <= ${now}::timestamptz
              AND (lease_until IS NULL OR lease_until < clock_timestamp()
                OR NOT EXISTS (SELECT FROM call_workers w WHERE w.id = due.worker_id AND w.expires_at > clock_timestamp()))
            ORDER BY due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
          ))
          RETURNING ${callColumns}, attempts`,
      );
      return rows.map((row) => ({ call: toCall(row), attempts: row.attempts }));
    },

    /** Records the recording (null for none) and makes the analysis due; no effect after a later claim. */
    finish: (due: DueRecording, stored: StoredRecording | null, now: Date) => finish({ due, stored, now }),

    /** Those of the calls that are live or whose recording is still to be made. */
    findUnfinished: async (callIds: readonly string[]): Promise<Set<string>> => {
      const rows = await queryRows(
        prisma,
        idRow,
        sql`SELECT id::text FROM calls c WHERE id = ANY (${callIds}::uuid[]) AND (status <> 'completed'
          OR EXISTS (SELECT FROM recording_jobs j WHERE j.call_id = c.id))`,
      );
      return new Set(rows.map(({ id }) => id));
    },

    /** Releases the claim for another attempt at `dueAt`. */
    postpone: async ({ call, attempts }: DueRecording, dueAt: Date): Promise<void> => {
      const data = { dueAt, leaseUntil: null };
      await prisma.recordingJob.updateMany({ where: { callId: call.id, attempts }, data });
    },
  };
}

function toRow({ due: { call, attempts }, stored, now }: Finished) {
  const detail = stored && { recording_sid: stored.sid, seconds: stored.seconds, bytes: stored.bytes };
  return {
    call_id: call.id,
    attempts,
    key: stored?.key ?? null,
    sid: stored?.sid ?? null,
    detail,
    at: now.toISOString(),
  };
}
