import { gather, type Sql } from '@parley/kit/db';
import { enqueue, type Outbox } from '@parley/kit/outbox';
import { type Clock, toIsoMillis } from '@parley/kit/time';
import { spokenLines } from '../domain/analysis/analyse-call.ts';
import { type AnalyzedCall, toAnalyzed } from '../domain/analysis/analyzed-message.ts';
import type { AnalysisQueue, DueAnalysis, FinishedAnalysis } from '../domain/analysis/ports.ts';
import { type SpokenTurn, toPlainTranscript } from '../domain/call-history/plain-transcript.ts';
import type { Entry } from '../domain/calls/ports.ts';
import { withHeard } from '../domain/transcripts/heard.ts';
import { type CallHappening, recordCallEvents } from './call-events.ts';
import { readRecords } from './call-records.ts';
import { CALL_COLUMNS, type CallRow, toCall } from './call-rows.ts';
import { storableJson } from './storable.ts';

type Row = CallRow & {
  analysis_attempts: number;
  edition: number;
  recording_key: string | null;
  recording_sid: string | null;
};

type DoneRow = { id: string; enhanced_turns: SpokenTurn[] | null };

/** How long a claim of a worker that lives holds, by the database's clock: longer than an analyser may take. */
const CLAIM_SECONDS = 120;

/** Of a call that is over, the worker is the one that analyses it. */
const CLAIM = `
  UPDATE calls SET worker_id = $3::uuid, analysis_lease_until = clock_timestamp() + interval '${CLAIM_SECONDS} seconds',
    analysis_attempts = analysis_attempts + 1
  WHERE id = ANY (ARRAY (
    SELECT id FROM calls
    WHERE analysis_due_at <= $1::timestamptz
      AND (analysis_lease_until IS NULL OR analysis_lease_until < clock_timestamp()
        OR NOT EXISTS (SELECT FROM call_workers w WHERE w.id = worker_id AND w.expires_at > clock_timestamp()))
    ORDER BY analysis_due_at LIMIT $2 FOR UPDATE SKIP LOCKED
  ))
  RETURNING ${CALL_COLUMNS}, analysis_attempts, edition, recording_key, recording_sid`;

const FINISH = `
  UPDATE calls c SET transcript = done.transcript, transcript_json = done.transcript_json, summary = done.summary,
    analysis_data = done.analysis_data, analysis_due_at = NULL, analysis_lease_until = NULL,
    analysed_at = $2::timestamptz, updated_at = $2::timestamptz
  FROM json_to_recordset($1::json) AS done (id uuid, attempts int, transcript text, transcript_json jsonb,
    summary text, analysis_data jsonb)
  WHERE c.id = done.id AND c.analysis_attempts = done.attempts AND c.analysis_due_at IS NOT NULL
  RETURNING c.id::text, c.enhanced_turns`;

const POSTPONE = `
  UPDATE calls SET analysis_due_at = $3::timestamptz, analysis_lease_until = NULL
  WHERE id = $1::uuid AND analysis_attempts = $2 AND analysis_due_at IS NOT NULL`;

export type AnalysisQueueDeps<Tx extends Sql> = {
  sql: Sql;
  outbox: Outbox<Tx>;
  clock: Clock;
  workerId: string;
  signRecording: (key: string) => string;
};

export function createAnalysisQueue<Tx extends Sql>(deps: AnalysisQueueDeps<Tx>): AnalysisQueue {
  const { sql, outbox, clock, workerId, signRecording } = deps;
  const finish = gather(async (finished: FinishedAnalysis[]) => {
    const now = clock.now();
    await outbox.transaction(async (tx) => {
      const json = storableJson(finished.map(toRow));
      const rows = await tx.$queryRawUnsafe<DoneRow[]>(FINISH, json, now.toISOString());
      const heard = new Map(rows.map(({ id, enhanced_turns }) => [id, enhanced_turns]));
      const done = finished.filter(({ due }) => heard.has(due.call.id));
      await recordCallEvents(
        tx,
        done.map((item) => toHappening(item, now)),
      );
      await enqueue(
        tx,
        done.map((item) => ({
          type: 'call.analyzed' as const,
          workspaceId: item.due.call.workspaceId,
          occurredAt: now,
          traceparent: item.due.call.traceparent ?? null,
          data: toAnalyzed(toAnalyzedCall(item, heard.get(item.due.call.id) ?? null), {
            now,
            recordingUrl: item.due.recordingKey && signRecording(item.due.recordingKey),
          }),
        })),
      );
    });
    return finished.map(() => undefined);
  });
  return {
    claim: async (now, most) => {
      const rows = await sql.$queryRawUnsafe<Row[]>(CLAIM, now.toISOString(), most, workerId);
      return rows.map(
        (row): DueAnalysis => ({
          call: toCall(row),
          attempts: row.analysis_attempts,
          edition: row.edition,
          recordingKey: row.recording_key,
          recordingSid: row.recording_sid,
        }),
      );
    },

    readRecords: (callIds) => readRecords(sql, callIds),

    finish,

    postpone: async ({ call, attempts }, at) => {
      await sql.$executeRawUnsafe(POSTPONE, call.id, attempts, at.toISOString());
    },
  };
}

/** A fix that came before the analysis has heard the recording already (D6.8). */
function toAnalyzedCall(
  { due, record, summary, data }: FinishedAnalysis,
  heard: SpokenTurn[] | null,
): AnalyzedCall {
  const { call, edition, recordingSid } = due;
  return { call, edition, recordingSid, record: heard ? withHeard(record, heard) : record, summary, data };
}

function toHappening({ due: { call, edition }, complete }: FinishedAnalysis, at: Date): CallHappening {
  return { callId: call.id, type: 'analyzed', at, detail: { edition, complete } };
}

function toRow({ due, record, summary, data }: FinishedAnalysis) {
  return {
    id: due.call.id,
    attempts: due.attempts,
    transcript: toPlainTranscript(record.flatMap(toSpoken)),
    transcript_json: { conversation: spokenLines(record) },
    summary,
    analysis_data: data,
  };
}

function toSpoken(entry: Entry) {
  if (entry.role === 'tool') return [];
  return [{ role: entry.role, content: entry.content, timestamp: toIsoMillis(entry.at) }];
}
