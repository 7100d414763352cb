import { createBatcher } from '@parley/kit/concurrency';
import { queryRow, queryRows, type SqlClient, sql } from '@parley/kit/db';
import { z } from 'zod';
import type { PrismaClient } from '../../prisma.ts';
import type { Call } from '../../sessions/call.ts';
import { callColumns, callRow, toCall } from '../../sessions/call-rows.store.ts';
import { type FairClaim, fairlyClaimed, hasNoClaim, type JobTable } from '../fair-claim.ts';

/*
 * The job of a recording, from the end of its call on. Each claim stores a file of its own (`recording-keys.ts`):
 *
 *   claimed    a living worker makes the recording; `attempts` is the number of the claim
 *   void       another claim, an erasure, or a worker that does not know whether its `finish` had an effect, has raised `attempts`: `finish` has no effect, and the claim removes its file
 *   erased     words of the call were erased: the next claim removes all files of the call, and makes the recording without them
 *   (no row)   the file of the last claim is the recording of the call, or the call has none
 */

const isSavedRow = z.object({ isSaved: z.boolean() });
const isAwaitedRow = z.object({ isAwaited: z.boolean() });
const keyRow = z.object({ key: z.string().nullable() });
const jobRow = z.object({ callId: z.string() });

/** A recording that this worker has claimed. */
export type DueRecording = {
  call: Call;
  /** Raised by each claim, and by an erasure that voids the current one: what has a lower number has no effect. */
  attempts: number;
  /** Claims before this one that ended because the store, or the disk of a worker, was not available. */
  waits: number;
  /** Words of the call were erased since its end. */
  erased: boolean;
};

/** `sid` is for a call that has no recording id yet. */
export type StoredRecording = { key: string; sid: string; seconds: number; bytes: number };

export type RecordingQueue = ReturnType<typeof createRecordingQueue>;

/**
 * A living worker's claim, by the database's clock. It outlasts the longest upload: two hours of a web call are 691 MB, for which
 * `s3/bucket.ts` allows 116 minutes.
 */
const CLAIM_MINUTES = 150;

const dueRow = callRow.extend({
  attempts: z.number(),
  waits: z.number(),
  erased: z.boolean(),
});
const finishedRow = z.object({ id: z.string() });

/** A call whose worker still has a part of the recording on its own disk is left to that worker. */
const jobsFor = (workerId: string): JobTable => ({
  table: sql`recording_jobs`,
  id: sql`call_id`,
  workspace: sql`workspace`,
  dueAt: sql`due_at`,
  isWaiting: sql`true`,
  isFree: sql`${hasNoClaim(sql`lease_until`)} AND NOT EXISTS (
      SELECT FROM recording_segments s JOIN call_workers w ON w.id = s.worker_id AND w.expires_at > clock_timestamp()
      WHERE s.call_id = recording_jobs.call_id AND s.worker_id <> ${workerId}::uuid AND NOT s.stored AND NOT s.doomed)`,
});

type Finished = { due: DueRecording; stored: StoredRecording | null; now: Date };

export function createRecordingQueue({ sql: prisma, workerId }: { sql: PrismaClient; workerId: string }) {
  const jobs = jobsFor(workerId);

  const finish = createBatcher(async (finished: Finished[]): Promise<boolean[]> => {
    // One statement, so one transaction. Without a key there is no recording. If the recording was announced, the call has its id, and the
    // analysis is due already.
    const rows = await queryRows(
      prisma,
      finishedRow,
      sql`
      WITH given AS (
        SELECT * FROM json_to_recordset(${JSON.stringify(finished.map(toRow))}::json) AS row (call_id uuid, attempts int,
          key text, sid text, seconds numeric, bytes numeric, at timestamptz)
      ), done AS (
        DELETE FROM recording_jobs j USING given WHERE j.call_id = given.call_id AND j.attempts = given.attempts
        RETURNING given.*
      ), saved AS (
        UPDATE calls c SET recording_key = done.key, updated_at = done.at,
          recording_sid = CASE WHEN done.key IS NOT NULL THEN coalesce(c.recording_sid, done.sid) END,
          analysis_due_at = CASE WHEN c.recording_sid IS NULL AND c.analysed_at IS NULL THEN done.at ELSE c.analysis_due_at END
        FROM done WHERE c.id = done.call_id
        RETURNING c.id, c.recording_sid, done.at, done.key, done.seconds, done.bytes
      ), spent AS (
        UPDATE recording_segments s SET doomed = true FROM done WHERE s.call_id = done.call_id
      ), noted AS (
        INSERT INTO call_events (call_id, at, type, detail)
        SELECT id, at, 'recording_stored', json_build_object('recording_sid', recording_sid, 'seconds', seconds, 'bytes', bytes)
        FROM saved WHERE key IS NOT NULL
      )
      SELECT id::text FROM saved`,
    );
    const saved = new Set(rows.map(({ id }) => id));
    return finished.map(({ due }) => saved.has(due.call.id));
  });

  /** Ends a claim that is void, if an erasure has made it so: until then no other worker makes the recording. */
  const release = async ({ call, attempts }: DueRecording): Promise<void> => {
    await prisma.recordingJob.updateMany({
      where: { callId: call.id, workerId, attempts: { gt: attempts } },
      data: { leaseUntil: null },
    });
  };

  return {
    claim: async (claim: FairClaim): Promise<DueRecording[]> => {
      const rows = await queryRows(
        prisma,
        dueRow,
        sql`WITH claimed AS (
            UPDATE recording_jobs SET worker_id = ${workerId}::uuid, attempts = attempts + 1,
              lease_until = clock_timestamp() + ${CLAIM_MINUTES}::int * interval '1 minute'
            WHERE call_id = ANY (ARRAY (${fairlyClaimed(jobs, claim)}))
            RETURNING call_id, attempts, waits, erased
          )
          SELECT ${callColumns}, attempts, waits, erased FROM calls JOIN claimed ON id = claimed.call_id`,
      );
      return rows.map((row) => {
        const { attempts, waits, erased } = row;
        return { call: toCall(row), attempts, waits, erased };
      });
    },

    /**
     * Saves the recording (null for none), makes the analysis due and marks the segments as removable. False: no effect, since
     * the claim is void, or the call was erased.
     */
    finish: (due: DueRecording, stored: StoredRecording | null, now: Date): Promise<boolean> =>
      finish({ due, stored, now }),

    release,

    /** Releases the claim for another attempt at `dueAt`; `waited`: this one doesn't count as failed. */
    postpone: async (due: DueRecording, dueAt: Date, { waited }: { waited: boolean }): Promise<void> => {
      const data = { dueAt, leaseUntil: null, waits: { increment: waited ? 1 : 0 } };
      const where = { callId: due.call.id, attempts: due.attempts };
      const { count } = await prisma.recordingJob.updateMany({ where, data });
      if (count === 0) await release(due);
    },

    /**
     * Voids the claim, and returns it with its new number. From now on a `finish` whose response was lost has no effect, or has had its effect:
     * one that the server still executes is waited for. A claim that is void already stays as it is.
     */
    voidClaim: async (due: DueRecording): Promise<DueRecording> => {
      // The claim counts as one attempt, so this number counts as a wait.
      const { count } = await prisma.recordingJob.updateMany({
        where: { callId: due.call.id, attempts: due.attempts },
        data: { attempts: { increment: 1 }, waits: { increment: 1 } },
      });
      return count === 0 ? due : { ...due, attempts: due.attempts + 1, waits: due.waits + 1 };
    },

    /** Whether the claim is still this worker's. Waits for a transaction that voids it, or removes the call. */
    isClaimed: async ({ call, attempts }: DueRecording): Promise<boolean> => {
      const row = await queryRow(
        prisma,
        jobRow,
        sql`SELECT call_id::text AS "callId" FROM recording_jobs
          WHERE call_id = ${call.id}::uuid AND attempts = ${attempts}::int AND worker_id = ${workerId}::uuid
            AND lease_until > clock_timestamp()
          FOR SHARE`,
      );
      return row !== undefined;
    },

    /** Whether this file is the recording of the call. */
    isSaved: async (callId: string, key: string): Promise<boolean> => {
      const row = await queryRow(
        prisma,
        isSavedRow,
        sql`SELECT EXISTS (SELECT FROM calls WHERE id = ${callId}::uuid AND recording_key = ${key}) AS "isSaved"`,
      );
      return row?.isSaved ?? false;
    },

    /**
     * The call has a link to its recording, which a later claim stores, and its analysis is due [calls.23]. No effect if the claim is
     * void: the call may have been erased.
     */
    announce: async (
      { call, attempts }: DueRecording,
      key: string,
      sid: string,
      now: Date,
    ): Promise<void> => {
      await prisma.$executeRaw(sql`
        WITH job AS (
          SELECT call_id FROM recording_jobs WHERE call_id = ${call.id}::uuid AND attempts = ${attempts}::int FOR UPDATE
        )
        UPDATE calls c SET recording_key = ${key}, recording_sid = ${sid}, updated_at = ${now}::timestamptz,
          analysis_due_at = CASE WHEN c.analysed_at IS NULL THEN ${now}::timestamptz ELSE c.analysis_due_at END
        FROM job WHERE c.id = job.call_id AND c.recording_sid IS NULL`);
    },
  };
}

/** Locks the jobs of calls. Call it before the calls themselves are locked: where a recording is stored, its job comes first, too. */
export async function lockRecordingJobs(tx: SqlClient, callIds: readonly string[]): Promise<string[]> {
  const rows = await queryRows(
    tx,
    jobRow,
    sql`SELECT call_id::text AS "callId" FROM recording_jobs WHERE call_id = ANY (${callIds}::uuid[])
      ORDER BY call_id FOR UPDATE`,
  );
  return rows.map(({ callId }) => callId);
}

/**
 * Voids claims that have read words which are erased now; the recordings are made again. A living worker keeps its lease until its claim has
 * ended. That claim is no failed attempt.
 */
export async function startRecordingsAgain(
  tx: SqlClient,
  callIds: readonly string[],
  now: Date,
): Promise<void> {
  await lockRecordingJobs(tx, callIds);
  await tx.$executeRaw(sql`
    UPDATE recording_jobs SET erased = true, attempts = attempts + 1, waits = attempts + 1, due_at = least(due_at, ${now}::timestamptz)
    WHERE call_id = ANY (${callIds}::uuid[])`);
}

/** The recording that the call has, or that is announced. */
export async function findRecordingKey(prisma: PrismaClient, callId: string): Promise<string | null> {
  const row = await queryRow(
    prisma,
    keyRow,
    sql`SELECT recording_key AS key FROM calls WHERE id = ${callId}::uuid`,
  );
  return row?.key ?? null;
}

/** Whether the recording of the call is still to be stored. */
export async function isAwaited(prisma: PrismaClient, callId: string): Promise<boolean> {
  const row = await queryRow(
    prisma,
    isAwaitedRow,
    sql`SELECT EXISTS (SELECT FROM recording_jobs WHERE call_id = ${callId}::uuid) AS "isAwaited"`,
  );
  return row?.isAwaited ?? false;
}

function toRow({ due: { call, attempts }, stored, now }: Finished) {
  return { call_id: call.id, attempts, ...stored, at: now.toISOString() };
}
