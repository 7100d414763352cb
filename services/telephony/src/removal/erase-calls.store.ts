import { type SqlClient, type Statement, sql } from '@parley/kit/db';
import { halved, type RemovalStep } from '@parley/kit/removal';
import type { Clock } from '@parley/kit/time';
import type { PrismaClient } from '../prisma.ts';
import { countRecordings, lockCalls, type Recordings, removeFiles } from './delete-calls.store.ts';

export type EraseDeps = {
  clock: Clock;
  recordings: Recordings;
  /** Removes segments that no running worker has on its disk. */
  removeUnusedSegments: () => Promise<void>;
};

/** Small, since the files of a batch are removed in its transaction. */
const BATCH = 50;
const PAGE = 500;

/** Erases the calls from and to the number; data for billing and statistics stays. */
export function eraseCalls({ clock, recordings }: EraseDeps): RemovalStep {
  return async (tx, { removalId, workspaceId, phoneNumber, halvings }, cursor) => {
    const batch = halved(BATCH, halvings);
    const found = await lockCalls(tx, findStatement(workspaceId, phoneNumber, batch));
    const idle = found.filter((call) => call.idle);
    const waiting = idle.length < found.length ? 'the recording or the analysis of a call' : null;
    if (idle.length === 0) return { next: null, waiting };
    await removeFiles(tx, recordings, idle);
    const ids = idle.map(({ id }) => id);
    const removed = { recordings: countRecordings(idle), ...(await eraseContent(tx, ids)) };
    await tx.$executeRaw(sql`
      INSERT INTO removal_calls (call_id, removal_id) SELECT id, ${removalId}::uuid FROM unnest(${ids}::uuid[]) AS id
      ON CONFLICT DO NOTHING`);
    const calls = await tx.$executeRaw(eraseStatement(ids, phoneNumber, clock.now()));
    return {
      removed: { ...removed, calls },
      waiting,
      next: found.length >= batch ? (cursor ?? 'more') : null,
    };
  };
}

/** Uses the index of each side; with an OR Postgres would read all calls of the workspace. */
const findStatement = (workspaceId: string, phoneNumber: string | null, limit: number): Statement => sql`
  (SELECT id::text FROM calls WHERE workspace_id = ${workspaceId}::uuid AND to_number = ${phoneNumber} LIMIT ${limit})
  UNION (SELECT id::text FROM calls WHERE workspace_id = ${workspaceId}::uuid AND from_number = ${phoneNumber} LIMIT ${limit})`;

/** Increments the fence, which voids later writes of a suspended worker. */
const eraseStatement = (ids: readonly string[], phoneNumber: string | null, now: Date): Statement => sql`
  UPDATE calls SET from_number = nullif(from_number, ${phoneNumber}), to_number = nullif(to_number, ${phoneNumber}),
    dynamic_variables = '{}', metadata = '{}', unresolved_placeholders = '{}', call_sid = NULL, recording_key = NULL,
    recording_sid = NULL, transcript = NULL, transcript_json = NULL, enhanced_transcript = NULL, enhanced_turns = NULL,
    summary = NULL, analysis_data = NULL, analysis_due_at = NULL, analysis_lease_until = NULL, carrier_state = NULL,
    model_state = NULL, agent_webhook_url = NULL, fence = fence + 1,
    updated_at = ${now}::timestamptz
  WHERE id = ANY (${ids}::uuid[])`;

/** Deletes or clears the data of the calls; returns counts by the place that the removal reports. */
async function eraseContent(tx: SqlClient, ids: readonly string[]): Promise<Record<string, number>> {
  const ofCalls = sql`WHERE call_id = ANY (${ids}::uuid[])`;
  return {
    turns: await tx.$executeRaw(sql`DELETE FROM turns ${ofCalls}`),
    tool_executions: await tx.$executeRaw(sql`DELETE FROM tool_executions ${ofCalls}`),
    tools_under_way: await tx.$executeRaw(sql`DELETE FROM tools_under_way ${ofCalls}`),
    timeline: await tx.$executeRaw(sql`DELETE FROM call_events ${ofCalls}`),
    web_messages: await tx.$executeRaw(sql`DELETE FROM web_messages ${ofCalls}`),
    sip_messages: await tx.$executeRaw(sql`DELETE FROM sip_messages ${ofCalls}`),
    recording_jobs: await tx.$executeRaw(sql`DELETE FROM recording_jobs ${ofCalls}`),
    transcription_jobs: await tx.$executeRaw(sql`DELETE FROM transcription_jobs ${ofCalls}`),
    dials: await tx.$executeRaw(
      sql`UPDATE dial_requests SET to_number = '', dynamic_variables = '{}' ${ofCalls}`,
    ),
    simulated_legs: await tx.$executeRaw(
      sql`UPDATE simulated_legs SET from_number = '', to_number = '', script = NULL WHERE reference = ANY (${ids}::uuid[])`,
    ),
  };
}

/** The calls that a removal has erased, in order of erasure. */
export async function listRemovalCalls(
  prisma: PrismaClient,
  removalId: string,
  after: number,
): Promise<{ call_ids: string[]; next: number | null }> {
  const where = { removalId, n: { gt: after } };
  const rows = await prisma.removalCall.findMany({ where, orderBy: { n: 'asc' }, take: PAGE });
  const last = rows.length === PAGE ? rows.at(-1) : undefined;
  return { call_ids: rows.map(({ callId }) => callId), next: last ? Number(last.n) : null };
}
