import { queryRow, type SqlClient, sql } from '@parley/kit/db';
import {
  awaitOutbox,
  eraseRefused,
  eraseStoredAnswers,
  type RemovalStep,
  replaceMentions,
  walkTable,
} from '@parley/kit/removal';
import { z } from 'zod';
import { voidAnalyses } from '../after-call/analysis/analysis-queue.store.ts';
import { eraseRecordings } from '../after-call/recordings/erased-recordings.store.ts';
import { markSegmentsRemovable } from '../after-call/recordings/live/segments.store.ts';
import { startRecordingsAgain } from '../after-call/recordings/recording-queue.store.ts';
import { type EraseDeps, eraseCalls } from './erase-calls.store.ts';
import { eraseDials, eraseLegs } from './erase-undialed.store.ts';
import { awaitRecordings, removeRecordings } from './recordings-step.store.ts';
import { awaitSegments } from './segments-step.store.ts';
import { type StopDeps, stopSteps } from './stop-calls.store.ts';

const OF_CALL = 'EXISTS (SELECT FROM calls c WHERE c.id = t.call_id AND c.workspace_id = $1::uuid)';

/** Mentions of the number in data of other calls of the workspace, and dials and legs without a call. */
const walks = ({ clock }: Pick<EraseDeps, 'clock'>): RemovalStep[] => [
  walkTable('calls', [
    // A fixed transcript has the words of the recording where the turns were misheard. Its recording is stored: there is no job to lock first.
    replaceMentions({
      place: 'fixed_transcripts',
      columns: { enhanced_transcript: 'text', enhanced_turns: 'json' },
      also: { column: 'id', act: (tx, ids) => forgetWords(tx, ids, clock.now()) },
    }),
    replaceMentions({
      columns: {
        dynamic_variables: 'jsonb',
        metadata: 'jsonb',
        transcript: 'text',
        transcript_json: 'jsonb',
        summary: 'text',
        analysis_data: 'jsonb',
        carrier_state: 'json',
      },
      also: { column: 'id', act: voidClaims },
    }),
    // From its messages webhooks takes the URL of an assistant's version that it does not know. `call.analyzed` is the last one.
    replaceMentions({
      place: 'webhook_urls',
      columns: { agent_webhook_url: 'text' },
      ofWorkspace: 't.workspace_id = $1::uuid AND t.analysed_at IS NOT NULL',
    }),
  ]),
  walkTable('turns', [
    replaceMentions({
      columns: { content: 'text', query: 'text', result: 'json', error: 'text', documents: 'json' },
      ofWorkspace: OF_CALL,
      also: { column: 'call_id', act: (tx, ids) => forgetWords(tx, ids, clock.now()) },
    }),
  ]),
  walkTable('tool_executions', [
    replaceMentions({
      columns: { args: 'json', result: 'json', error: 'text' },
      ofWorkspace: OF_CALL,
      also: { column: 'call_id', act: voidClaims },
    }),
  ]),
  walkTable('tools_under_way', [replaceMentions({ columns: { args: 'json' }, ofWorkspace: OF_CALL })]),
  walkTable('call_events', [
    replaceMentions({ place: 'timeline', columns: { detail: 'json' }, ofWorkspace: OF_CALL }),
  ]),
  walkTable('sip_messages', [replaceMentions({ columns: { message: 'text' }, ofWorkspace: OF_CALL })]),
  walkTable('web_messages', [replaceMentions({ columns: { content: 'text' }, ofWorkspace: OF_CALL })]),
  walkTable('dial_requests', [
    eraseDials,
    // The `to_number` of a call is never masked: a dial that is undone would be dialed again, to the mask.
    replaceMentions({ place: 'dials', columns: { dynamic_variables: 'jsonb' } }),
  ]),
  walkTable('simulated_legs', [eraseLegs(clock), replaceMentions({ columns: { script: 'json' } })]),
];

/** What jobs have read of the changed calls must not be written any more. */
async function voidClaims(tx: SqlClient, callIds: string[]): Promise<Record<string, number>> {
  await voidAnalyses(tx, callIds);
  return {};
}

/** For calls in which the number was spoken. */
async function forgetWords(tx: SqlClient, callIds: string[], now: Date): Promise<Record<string, number>> {
  const removed = await forgetRecordings(tx, callIds, now);
  await voidAnalyses(tx, callIds);
  return removed;
}

/**
 * Takes the recordings away from the calls; `removeRecordings` removes the files. A recording that is still to be made is made again, without
 * the number: from the turns of the call, or, since what was recorded during the call is removed, not at all. `awaitRecordings` waits for that.
 */
async function forgetRecordings(
  tx: SqlClient,
  callIds: string[],
  now: Date,
): Promise<Record<string, number>> {
  // A live call doesn't end before the commit: its recording would be made from the turns that still have the number.
  await tx.$executeRaw(sql`
    SELECT FROM calls WHERE id = ANY (${callIds}::uuid[]) AND status <> 'completed' ORDER BY id FOR NO KEY UPDATE`);
  await startRecordingsAgain(tx, callIds, now);
  await markSegmentsRemovable(tx, callIds);
  return { recordings: await eraseRecordings(tx, callIds) };
}

const forgetAlternations: RemovalStep = async (tx, { workspaceId, phoneNumber }) => {
  const count = await tx.$executeRaw(
    sql`DELETE FROM simulated_alternations WHERE workspace_id = ${workspaceId}::uuid AND to_number = ${phoneNumber}`,
  );
  return { removed: { simulated_alternations: count }, next: null };
};

const countRow = z.object({ count: z.number() });
const WANTED = 'So that the person is not called again; DELETE /v1/do-not-call/{phone_number} removes it';

const doNotCall: RemovalStep = async (tx, { workspaceId, phoneNumber, keepDoNotCall }) => {
  const listed = sql`FROM do_not_call WHERE workspace_id = ${workspaceId}::uuid AND phone_number = ${phoneNumber}`;
  if (!keepDoNotCall) {
    const count = await tx.$executeRaw(sql`DELETE ${listed}`);
    return { removed: { do_not_call: count }, next: null };
  }
  const row = await queryRow(tx, countRow, sql`SELECT count(*)::int AS count ${listed}`);
  return { kept: [{ place: 'do_not_call', count: row?.count ?? 0, reason: WANTED }], next: null };
};

export function erasureSteps(deps: StopDeps & EraseDeps): RemovalStep[] {
  return [
    ...stopSteps(deps),
    eraseCalls(deps),
    ...walks(deps),
    awaitSegments(deps),
    removeRecordings(deps),
    awaitRecordings,
    ...eraseStoredAnswers,
    forgetAlternations,
    doNotCall,
    eraseRefused,
    awaitOutbox,
  ];
}
