import { createBatcher } from '@parley/kit/concurrency';
import { queryRow, queryRows, sql } from '@parley/kit/db';
import { z } from 'zod';
import type { PrismaClient } from '../../prisma.ts';
import type { Call } from '../../sessions/call.ts';
import { callColumns, callRow, toCall } from '../../sessions/call-rows.store.ts';
import { type FairClaim, fairlyClaimed, hasNoClaim, type JobTable } from '../fair-claim.ts';

const isWantedRow = z.object({ isWanted: z.boolean() });
const isAwaitedRow = z.object({ isAwaited: z.boolean() });

/** A recording that this worker has claimed. */
export type DueRecording = {
  call: Call;
  /** Raised by each claim, and by an erasure that voids the current one: what has a lower number has no effect. */
  attempts: number;
  /** Claims before this one that ended because the store, or the disk of a worker, was not available. */
  waits: number;
  /** The recording id that the call already has, if it was announced while the store was unavailable. */
  sid: string | null;
};

export type StoredRecording = { key: string; sid: string; seconds: number; bytes: number };

export type RecordingQueue = ReturnType<typeof createRecordingQueue>;

/** A living worker's claim lasts longer than the longest recording takes, by the database's clock. */
const CLAIM_MINUTES = 20;

const dueRow = callRow.extend({
  attempts: z.number(),
  waits: z.number(),
  recording_sid: z.string().nullable(),
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
    // One statement, so one transaction. Without a key there is no recording. If the recording was announced, the analysis is due already.
    const rows = await queryRows(
      prisma,
      finishedRow,
      sql`
      WITH given AS (
        SELECT * FROM json_to_recordset(${JSON.stringify(finished.map(toRow))}::json) AS row (call_id uuid, attempts int,
          key text, sid text, detail json, at timestamptz)
      ), done AS (
        DELETE FROM recording_jobs j USING given WHERE j.call_id = given.call_id AND j.attempts = given.attempts
        RETURNING given.*
      ), saved AS (
        UPDATE calls c SET recording_key = done.key, recording_sid = done.sid, updated_at = done.at,
          analysis_due_at = CASE WHEN c.recording_sid IS NULL AND c.analysed_at IS NULL THEN done.at ELSE c.analysis_due_at END
        FROM done WHERE c.id = done.call_id
        RETURNING c.id, done.at, done.detail, done.key
      ), spent AS (
        UPDATE recording_segments s SET doomed = true FROM done WHERE s.call_id = done.call_id
      ), noted AS (
        INSERT INTO call_events (call_id, at, type, detail)
        SELECT id, at, 'recording_stored', detail FROM saved WHERE key IS NOT NULL
      )
      SELECT id::text FROM saved`,
    );
    const saved = new Set(rows.map(({ id }) => id));
    return finished.map(({ due }) => saved.has(due.call.id));
  });

  /** Ends a claim that an erasure has voided: another one makes the recording, and replaces the file of this one. */
  const releaseVoid = async ({ call, attempts }: DueRecording): Promise<void> => {
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
            RETURNING call_id, attempts, waits
          )
          SELECT ${callColumns}, attempts, waits, recording_sid FROM calls JOIN claimed ON id = claimed.call_id`,
      );
      return rows.map((row) => {
        const { attempts, waits, recording_sid: sid } = row;
        return { call: toCall(row), attempts, waits, sid };
      });
    },

    /**
     * Saves the recording (null for none), makes the analysis due and marks the segments as removable. False: no effect, since
     * there was a later claim, or the call was erased.
     */
    finish: async (due: DueRecording, stored: StoredRecording | null, now: Date): Promise<boolean> => {
      const isSaved = await finish({ due, stored, now });
      if (!isSaved) await releaseVoid(due);
      return isSaved;
    },

    /** Releases the claim for another attempt at `dueAt`; `waited`: this one doesn't count as failed. */
    postpone: async (due: DueRecording, dueAt: Date, { waited }: { waited: boolean }): Promise<void> => {
      const data = { dueAt, leaseUntil: null, waits: { increment: waited ? 1 : 0 } };
      const where = { callId: due.call.id, attempts: due.attempts };
      const { count } = await prisma.recordingJob.updateMany({ where, data });
      if (count === 0) await releaseVoid(due);
    },

    /** Whether the call has a recording, or will have one. */
    isWanted: async (callId: string): Promise<boolean> => {
      const row = await queryRow(
        prisma,
        isWantedRow,
        sql`SELECT EXISTS (SELECT FROM recording_jobs WHERE call_id = ${callId}::uuid)
          OR EXISTS (SELECT FROM calls WHERE id = ${callId}::uuid AND recording_key IS NOT NULL) AS "isWanted"`,
      );
      return row?.isWanted ?? false;
    },

    /** The recording will be at `key`: the call has its link, and its analysis is due [calls.23]. */
    announce: async (
      { call, attempts }: DueRecording,
      key: string,
      sid: string,
      now: Date,
    ): Promise<void> => {
      await prisma.$executeRaw(sql`
        UPDATE calls c SET recording_key = ${key}, recording_sid = ${sid}, updated_at = ${now}::timestamptz,
          analysis_due_at = CASE WHEN c.analysed_at IS NULL THEN ${now}::timestamptz ELSE c.analysis_due_at END
        FROM recording_jobs j
        WHERE c.id = ${call.id}::uuid AND j.call_id = c.id AND j.attempts = ${attempts}::int AND c.recording_sid IS NULL`);
    },
  };
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
