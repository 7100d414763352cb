import { queryRow, queryRows, sql } from '@parley/kit/db';
import { z } from 'zod';
import type { PrismaClient } from '../../prisma.ts';
import type { Call } from '../../sessions/call.ts';
import { callColumns, callRow, toCall } from '../../sessions/call-rows.store.ts';
import { type FairClaim, fairlyClaimed, hasNoClaim, type JobTable } from '../fair-claim.ts';

const failedRow = z.object({ failed: z.string().nullable() });

/** A transcription that this worker has claimed. */
export type DueTranscription = {
  call: Call;
  /** Claims including this one: a later claim voids this one. */
  attempts: number;
  requestedAt: Date;
  recordingKey: string | null;
  recordingSid: string | null;
};

export type TranscriptionQueue = ReturnType<typeof createTranscriptionQueue>;

/** A living worker's claim lasts longer than the longest recording takes, by the database's clock. */
const CLAIM_MINUTES = 60;

const TRANSCRIPTIONS: JobTable = {
  table: sql`transcription_jobs`,
  id: sql`call_id`,
  workspace: sql`workspace_id`,
  dueAt: sql`due_at`,
  isWaiting: sql`failed IS NULL`,
  isFree: hasNoClaim(sql`lease_until`),
};

const dueRow = callRow.extend({
  attempts: z.number(),
  requested_at: z.date(),
  recording_key: z.string().nullable(),
  recording_sid: z.string().nullable(),
});

export function createTranscriptionQueue({ sql: prisma, workerId }: { sql: PrismaClient; workerId: string }) {
  return {
    claim: async (claim: FairClaim): Promise<DueTranscription[]> => {
      const rows = await queryRows(
        prisma,
        dueRow,
        sql`WITH claimed AS (
            UPDATE transcription_jobs SET worker_id = ${workerId}::uuid, attempts = attempts + 1,
              lease_until = clock_timestamp() + ${CLAIM_MINUTES}::int * interval '1 minute'
            WHERE call_id = ANY (ARRAY (${fairlyClaimed(TRANSCRIPTIONS, claim)}))
            RETURNING call_id, attempts, requested_at
          )
          SELECT ${callColumns}, attempts, requested_at, recording_key, recording_sid
          FROM calls JOIN claimed ON id = claimed.call_id`,
      );
      return rows.map((row) => {
        const {
          attempts,
          requested_at: requestedAt,
          recording_key: recordingKey,
          recording_sid: recordingSid,
        } = row;
        return { call: toCall(row), attempts, requestedAt, recordingKey, recordingSid };
      });
    },

    /** Releases the claim for another attempt at `dueAt`. */
    postpone: async ({ call, attempts }: DueTranscription, dueAt: Date): Promise<void> => {
      const data = { dueAt, leaseUntil: null };
      await prisma.transcriptionJob.updateMany({ where: { callId: call.id, attempts }, data });
    },

    /** Ends the job without a transcript; the timeline says why [calls.22]. */
    abandon: async ({ call, attempts }: DueTranscription, error: string, now: Date): Promise<void> => {
      await prisma.$executeRaw(sql`
        WITH abandoned AS (
          UPDATE transcription_jobs SET failed = ${error}, lease_until = NULL
          WHERE call_id = ${call.id}::uuid AND attempts = ${attempts}::int RETURNING call_id
        )
        INSERT INTO call_events (call_id, at, type, detail)
        SELECT call_id, ${now}::timestamptz, 'transcription_failed', ${JSON.stringify({ error })}::json FROM abandoned`);
    },
  };
}

/** Used by the API, which requests transcriptions and waits for them. */
export type TranscriptionRequests = ReturnType<typeof createTranscriptionRequests>;

export function createTranscriptionRequests(prisma: PrismaClient) {
  return {
    /** One at a time for each call; one that failed is tried again. */
    request: async (workspaceId: string, callId: string, now: Date): Promise<void> => {
      await prisma.$executeRaw(sql`
        INSERT INTO transcription_jobs (call_id, workspace_id, requested_at, due_at)
        VALUES (${callId}::uuid, ${workspaceId}::uuid, ${now}::timestamptz, ${now}::timestamptz)
        ON CONFLICT (call_id) DO UPDATE SET requested_at = EXCLUDED.requested_at, due_at = EXCLUDED.due_at, failed = NULL
          WHERE transcription_jobs.failed IS NOT NULL`);
    },

    /** Also `done` if there was no transcription. */
    outcome: async (
      workspaceId: string,
      callId: string,
    ): Promise<{ state: 'waiting' | 'done' } | { state: 'failed'; error: string }> => {
      const row = await queryRow(
        prisma,
        failedRow,
        sql`SELECT failed FROM transcription_jobs WHERE workspace_id = ${workspaceId}::uuid AND call_id = ${callId}::uuid`,
      );
      if (!row) return { state: 'done' };
      return row.failed === null ? { state: 'waiting' } : { state: 'failed', error: row.failed };
    },
  };
}
