import type { Sql } from '@parley/kit/db';
import { enqueue, type Outbox } from '@parley/kit/outbox';
import { toAnalyzed } from '../domain/analysis/analyzed-message.ts';
import { toPlainTranscript } from '../domain/call-history/plain-transcript.ts';
import type { Entry } from '../domain/calls/ports.ts';
import { withHeard } from '../domain/transcripts/heard.ts';
import type { TranscriptFixes } from '../domain/transcripts/ports.ts';
import { recordCallEvent } from './call-events.ts';
import { readRecords } from './call-records.ts';
import { CALL_COLUMNS, type CallRow, toCall } from './call-rows.ts';

type FixableRow = {
  status: string;
  answered_at: Date | null;
  recording_key: string | null;
  transcript_fix_count: number;
};

const FIND = `
  SELECT status, answered_at, recording_key, transcript_fix_count FROM calls
  WHERE workspace_id = $1::uuid AND id = $2::uuid`;

/** Those who fix at the same moment wait for each other, and the constraint counts (D6.8). */
const FIX = `
  UPDATE calls SET enhanced_transcript = $3, enhanced_turns = $4::json, transcript_fix_count = transcript_fix_count + 1,
    edition = edition + CASE WHEN analysed_at IS NULL THEN 0 ELSE 1 END, updated_at = $5::timestamptz
  WHERE workspace_id = $1::uuid AND id = $2::uuid AND status = 'completed' AND recording_key IS NOT NULL
    AND transcript_fix_count < 5
  RETURNING ${CALL_COLUMNS}, edition, recording_key, recording_sid, summary, analysis_data, analysed_at,
    updated_at`;

type FixedRow = CallRow & {
  edition: number;
  recording_key: string;
  recording_sid: string | null;
  summary: string | null;
  analysis_data: Record<string, unknown> | null;
  analysed_at: Date | null;
  updated_at: Date;
};

export function createTranscriptFixes<Tx extends Sql>(deps: {
  sql: Sql;
  outbox: Outbox<Tx>;
  signRecording: (key: string) => string;
}): TranscriptFixes {
  const { sql, outbox, signRecording } = deps;
  return {
    find: async (workspaceId, callId) => {
      const [row] = await sql.$queryRawUnsafe<FixableRow[]>(FIND, workspaceId, callId);
      return (
        row && {
          isOver: row.status === 'completed',
          answeredAt: row.answered_at,
          recordingKey: row.recording_key,
          fixCount: row.transcript_fix_count,
        }
      );
    },

    save: async (workspaceId, callId, { turns, now }) => {
      // A call that is over says nothing more: its tools may be read before.
      const [record = []] = (await readRecords(sql, [callId])).values();
      return outbox.transaction(async (tx) => {
        const [row] = await tx.$queryRawUnsafe<FixedRow[]>(
          FIX,
          workspaceId,
          callId,
          toPlainTranscript(turns),
          JSON.stringify(turns),
          now.toISOString(),
        );
        if (!row) return false;
        // Before the analysis there is nothing to tell again: what it tells will be this.
        if (row.analysed_at) await tellAgain(tx, row, withHeard(record, turns));
        return true;
      });
    },
  };

  async function tellAgain(tx: Sql, row: FixedRow, record: Entry[]): Promise<void> {
    const { edition, summary, analysis_data: data, recording_sid: recordingSid, updated_at: now } = row;
    const call = toCall(row);
    const detail = { edition, complete: true };
    await recordCallEvent(tx, { callId: call.id, type: 'analyzed', at: now, detail });
    await enqueue(tx, {
      type: 'call.analyzed',
      workspaceId: call.workspaceId,
      occurredAt: now,
      data: toAnalyzed(
        { call, edition, recordingSid, record, summary, data },
        { now, recordingUrl: signRecording(row.recording_key) },
      ),
    });
  }
}
