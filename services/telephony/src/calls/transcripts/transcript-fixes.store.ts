import { queryRow, sql } from '@parley/kit/db';
import { enqueue, type Outbox } from '@parley/kit/outbox';
import { z } from 'zod';
import { toAnalyzed } from '../../after-call/analysis/analyzed-message.ts';
import type { PrismaClient, Tx } from '../../prisma.ts';
import { recordCallEvent } from '../../sessions/call-events.store.ts';
import { readRecords } from '../../sessions/call-records.store.ts';
import { callColumns, callRow, toCall } from '../../sessions/call-rows.store.ts';
import type { Entry } from '../../sessions/ports.ts';
import { type SpokenTurn, toPlainTranscript } from '../plain-transcript.ts';
import { withTranscribedTurns } from './transcribed-turns.ts';

const text = z.string().nullable();
const fixedRow = callRow.extend({
  edition: z.number(),
  recording_key: z.string(),
  recording_sid: text,
  summary: text,
  analysis_data: z.record(z.string(), z.unknown()).nullable(),
  analysed_at: z.date().nullable(),
  updated_at: z.date(),
});

type Fix = { turns: SpokenTurn[]; recordingSid: string | null; now: Date; jobAttempts?: number };

export type TranscriptFixes = ReturnType<typeof createTranscriptFixes>;

export function createTranscriptFixes(deps: {
  sql: PrismaClient;
  outbox: Outbox<Tx>;
  signRecording: (key: string) => string;
}) {
  const { sql: prisma, outbox, signRecording } = deps;
  return {
    find: (workspaceId: string, id: string) =>
      prisma.call.findUnique({
        where: { id, workspaceId },
        select: {
          status: true,
          answeredAt: true,
          recordingKey: true,
          recordingSid: true,
          transcriptFixCount: true,
        },
      }),

    /**
     * In one transaction: the transcript, the count, and `call.analyzed` as a new edition. If the call isn't analyzed yet, its
     * first edition will contain the fixed transcript. `recordingSid`: the recording that has the words; an erasure of them gives the call
     * another one, or none. `jobAttempts`: the claim of a transcription, which ends with it. False: nothing is saved, since the call has changed.
     * Rejects if the claim is void.
     */
    save: async (
      workspaceId: string,
      callId: string,
      { turns, recordingSid, now, jobAttempts }: Fix,
    ): Promise<boolean> => {
      // Outside of the transaction: an erasure that changes it removes the recording too, and then nothing is saved.
      const [record = []] = (await readRecords(prisma, [callId])).values();
      return outbox.transaction(async (tx) => {
        // Concurrent fixes wait for each other; a check constraint of the table bounds the count.
        const row = await queryRow(
          tx,
          fixedRow,
          sql`UPDATE calls SET enhanced_transcript = ${toPlainTranscript(turns)}, enhanced_turns = ${JSON.stringify(turns)}::json,
              transcript_fix_count = transcript_fix_count + 1,
              edition = edition + CASE WHEN analysed_at IS NULL THEN 0 ELSE 1 END, updated_at = ${now}::timestamptz
            WHERE workspace_id = ${workspaceId}::uuid AND id = ${callId}::uuid AND status = 'completed'
              AND recording_key IS NOT NULL AND recording_sid IS NOT DISTINCT FROM ${recordingSid}::text AND transcript_fix_count < 5
            RETURNING ${callColumns}, edition, recording_key, recording_sid, summary, analysis_data, analysed_at, updated_at`,
        );
        if (!row) return false;
        if (jobAttempts !== undefined) await endTranscription(tx, callId, jobAttempts);
        if (row.analysed_at) await publishEdition(tx, row, withTranscribedTurns(record, turns));
        return true;
      });
    },
  };

  async function publishEdition(tx: Tx, row: z.infer<typeof fixedRow>, record: Entry[]): Promise<void> {
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

/** In the order of locks of an erasure: after the call. */
async function endTranscription(tx: Tx, callId: string, attempts: number): Promise<void> {
  const ended = await tx.$executeRaw(
    sql`DELETE FROM transcription_jobs WHERE call_id = ${callId}::uuid AND attempts = ${attempts}::int`,
  );
  if (ended === 0) throw new Error('another worker transcribes the recording');
}
