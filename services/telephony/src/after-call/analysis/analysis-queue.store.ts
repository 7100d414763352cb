import { createBatcher } from '@parley/kit/concurrency';
import { queryRow, queryRows, type SqlClient, sql } from '@parley/kit/db';
import { enqueue, type Outbox } from '@parley/kit/outbox';
import type { Clock } from '@parley/kit/time';
import { z } from 'zod';
import { type SpokenTurn, spokenTurn, spokenTurns, toPlainTranscript } from '../../calls/plain-transcript.ts';
import { withTranscribedTurns } from '../../calls/transcripts/transcribed-turns.ts';
import type { PrismaClient, Tx } from '../../prisma.ts';
import { type CallTimelineEvent, recordCallEvents } from '../../sessions/call-events.store.ts';
import { readRecords } from '../../sessions/call-records.store.ts';
import { callColumns, callRow, toCall } from '../../sessions/call-rows.store.ts';
import type { Entry } from '../../sessions/ports.ts';
import { storableJson } from '../../sessions/storable.ts';
import { toStoredLatency } from '../../sessions/turn-latency.ts';
import { type FairClaim, fairlyClaimed, hasNoClaim, type JobTable } from '../fair-claim.ts';
import type { DueAnalysis, FinishedAnalysis } from './analyze-call.ts';
import { type AnalyzedCall, toAnalyzed } from './analyzed-message.ts';

export type AnalysisQueue = ReturnType<typeof createAnalysisQueue>;

/**
 * A living worker's claim, by the database's clock. It outlasts the reading of the call, an analyzer of 90 seconds, `MAX_WAIT_MS` and the
 * 12 seconds of a transaction, and the release of what could not be stored (`analyze-due.ts`).
 */
export const CLAIM_SECONDS = 300;

/** Few, so that a batch is written in time by a slow database. */
const MAX_ITEMS = 5;
/** Then the result is not written: the claim has to be released before it expires. */
const MAX_WAIT_MS = 40_000;

/** `calls.crash_step` of an ended call: `step_crashes` counts the claims of its analysis in a row whose workers crashed. */
const CRASH_STEP = 'analysis';

/** Matches analyses that may have crashed a worker: the next claim counts, or an earlier one has counted, a crash. As in its index. */
const IS_SUSPECT = sql`
  (analysis_lease_until IS NOT NULL OR (crash_step IS NOT DISTINCT FROM 'analysis' AND step_crashes > 0))`;
const IS_FREE = hasNoClaim(sql`analysis_lease_until`);

const ANALYSES: JobTable = {
  table: sql`calls`,
  id: sql`id`,
  workspace: sql`workspace_id`,
  dueAt: sql`analysis_due_at`,
  isWaiting: sql`analysis_due_at IS NOT NULL`,
  isFree: sql`${IS_FREE} AND NOT ${IS_SUSPECT}`,
};
const SUSPECTS: JobTable = { ...ANALYSES, isFree: sql`${IS_FREE} AND ${IS_SUSPECT}` };

const dueRow = callRow.extend({
  analysis_attempts: z.number(),
  step_crashes: z.number(),
  edition: z.number(),
  recording_key: z.string().nullable(),
  recording_sid: z.string().nullable(),
});
const idRow = z.object({ id: z.string() });
const doneRow = z.object({ id: z.string(), enhanced_turns: z.array(spokenTurn).nullable() });

export function createAnalysisQueue(deps: {
  sql: PrismaClient;
  outbox: Outbox<Tx>;
  clock: Clock;
  workerId: string;
  signRecording: (key: string) => string;
}) {
  const { sql: prisma, outbox, clock, workerId, signRecording } = deps;

  const write = async (finished: FinishedAnalysis[]): Promise<undefined[]> => {
    const now = clock.now();
    await outbox.transaction(async (tx) => {
      const rows = await queryRows(
        tx,
        doneRow,
        sql`UPDATE calls c SET transcript = done.transcript, transcript_json = done.transcript_json, summary = done.summary,
            analysis_data = done.analysis_data, analysis_due_at = NULL, analysis_lease_until = NULL,
            analysed_at = ${now}::timestamptz, updated_at = ${now}::timestamptz
          FROM json_to_recordset(${storableJson(finished.map(toRow))}::json) AS done (id uuid, attempts int, transcript text,
            transcript_json jsonb, summary text, analysis_data jsonb)
          WHERE c.id = done.id AND c.analysis_attempts = done.attempts AND c.analysis_due_at IS NOT NULL
          RETURNING c.id::text, c.enhanced_turns`,
      );
      const transcribed = new Map(rows.map(({ id, enhanced_turns }) => [id, enhanced_turns]));
      const done = finished.filter(({ due }) => transcribed.has(due.call.id));
      await recordCallEvents(
        tx,
        done.map((item) => toTimelineEvent(item, now)),
      );
      await enqueue(
        tx,
        done.map((item) => ({
          type: 'call.analyzed' as const,
          workspaceId: item.due.call.workspaceId,
          occurredAt: now,
          traceparent: item.due.call.traceparent ?? null,
          data: toAnalyzed(toAnalyzedCall(item, transcribed.get(item.due.call.id) ?? null), {
            now,
            recordingUrl: item.due.recordingKey && signRecording(item.due.recordingKey),
          }),
        })),
      );
    });
    return finished.map(() => undefined);
  };
  const finish = createBatcher(write, { maxItems: MAX_ITEMS, maxWaitMs: MAX_WAIT_MS });

  /** A claim that still has its lease was neither finished, postponed nor voided: its worker crashed or hung. */
  const claimFrom = async (table: JobTable, claim: FairClaim): Promise<DueAnalysis[]> => {
    const rows = await queryRows(
      prisma,
      dueRow,
      sql`UPDATE calls SET worker_id = ${workerId}::uuid, analysis_attempts = analysis_attempts + 1,
          crash_step = ${CRASH_STEP}, step_crashes = CASE WHEN crash_step = ${CRASH_STEP} THEN least(step_crashes, 1000) ELSE 0 END
            + (analysis_lease_until IS NOT NULL)::int,
          analysis_lease_until = clock_timestamp() + ${CLAIM_SECONDS}::int * interval '1 second'
        WHERE id = ANY (ARRAY (${fairlyClaimed(table, claim)}))
        RETURNING ${callColumns}, analysis_attempts, step_crashes, edition, recording_key, recording_sid`,
    );
    return rows.map((row) => ({
      call: toCall(row),
      attempts: row.analysis_attempts,
      crashes: row.step_crashes,
      edition: row.edition,
      recordingKey: row.recording_key,
      recordingSid: row.recording_sid,
    }));
  };

  const isSuspectDue = async ({ now, running }: FairClaim): Promise<boolean> => {
    const due = await queryRow(
      prisma,
      idRow,
      sql`SELECT id::text FROM calls WHERE analysis_due_at IS NOT NULL AND analysis_due_at <= ${now}::timestamptz
          AND ${IS_SUSPECT} AND ${IS_FREE} AND NOT id = ANY (${running.map(({ id }) => id)}::uuid[]) LIMIT 1`,
    );
    return due !== undefined;
  };

  /** The suspect that this worker claimed last, unless it has claimed others since. */
  let suspectId: string | undefined;

  return {
    /**
     * `calls.worker_id` of an ended call is the worker that analyzes it. A suspect is claimed alone, so that its next crash counts for no
     * other call [calls.13]: the running ones end before, and nothing is claimed beside it. Between two suspects the others are claimed.
     */
    claim: async (claim: FairClaim): Promise<DueAnalysis[]> => {
      const { running } = claim;
      if (running.some(({ id }) => id === suspectId)) return [];
      const isDue = await isSuspectDue(claim);
      if (isDue && running.length > 0) return [];
      if (!isDue || suspectId !== undefined) {
        suspectId = undefined;
        const others = await claimFrom(ANALYSES, claim);
        if (!isDue || others.length > 0) return others;
      }
      const suspects = await claimFrom(SUSPECTS, { ...claim, limit: 1 });
      suspectId = suspects[0]?.call.id;
      return suspects;
    },

    readRecords: (callIds: readonly string[]) => readRecords(prisma, callIds),

    /**
     * Writes the result and publishes `call.analyzed` in one transaction; nothing if the claim is void. Rejects within a minute if the database
     * is too slow.
     */
    finish,

    /** Releases the claim for another attempt at `dueAt`. `isHarmless`: this one has ended in order, so the call is no suspect any more. */
    postpone: async (
      { call, attempts }: DueAnalysis,
      dueAt: Date,
      { isHarmless }: { isHarmless: boolean },
    ): Promise<void> => {
      const where = { id: call.id, analysisAttempts: attempts, analysisDueAt: { not: null } };
      const data = { analysisDueAt: dueAt, analysisLeaseUntil: null, ...(isHarmless && { stepCrashes: 0 }) };
      await prisma.call.updateMany({ where, data });
    },
  };
}

/**
 * Voids the claims of analyses that have read what an erasure has just changed: they write nothing, and the calls are analyzed again. The
 * calls stay locked until the commit, so that the next claim reads what is left. Not only of those that are claimed already: one may be
 * claimed before the commit.
 */
export async function voidAnalyses(tx: SqlClient, callIds: readonly string[]): Promise<void> {
  await tx.$executeRaw(sql`
    UPDATE calls SET analysis_attempts = analysis_attempts + 1, analysis_lease_until = NULL
    WHERE id = ANY (${[...callIds]}::uuid[]) AND analysed_at IS NULL`);
}

/** A transcript that was fixed before the analysis replaces the turns [calls.14]. */
function toAnalyzedCall(
  { due, record, summary, data }: FinishedAnalysis,
  transcribed: SpokenTurn[] | null,
): AnalyzedCall {
  const { call, edition, recordingSid } = due;
  return {
    call,
    edition,
    recordingSid,
    record: transcribed ? withTranscribedTurns(record, transcribed) : record,
    summary,
    data,
  };
}

function toTimelineEvent(
  { due: { call, edition }, complete }: FinishedAnalysis,
  at: Date,
): CallTimelineEvent {
  return { callId: call.id, type: 'analyzed', at, detail: { edition, complete } };
}

function toRow({ due, record, summary, data }: FinishedAnalysis) {
  return {
    id: due.call.id,
    attempts: due.attempts,
    transcript: toPlainTranscript(spokenTurns(record)),
    transcript_json: { conversation: record.flatMap(toLine) },
    summary,
    analysis_data: data,
  };
}

function toLine(entry: Entry) {
  if (entry.role === 'tool') return [];
  const { role, content, latency, isInterrupted: interrupted } = entry;
  const details = { latency: latency && toStoredLatency(latency), interrupted };
  return [{ role, content, ...details }];
}
