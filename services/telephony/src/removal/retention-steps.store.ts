import { forEachLimited } from '@parley/kit/concurrency';
import { queryRows, sql } from '@parley/kit/db';
import type { RetentionStep } from '@parley/kit/removal';
import { MAX_STORE_REQUESTS } from '../after-call/recordings/ports.ts';
import { callRow, deleteCalls, IS_IDLE, lockCalls, type Recordings } from './delete-calls.store.ts';

/** Small, since the files of a batch are removed in its transaction. */
const BATCH = 50;

export function retentionSteps({ recordings }: { recordings: Recordings }): RetentionStep[] {
  return [
    {
      kind: 'calls',
      place: 'calls',
      remove: async (tx, workspaceId, before) => {
        const found = await lockCalls(
          tx,
          sql`SELECT c.id::text FROM calls c
            WHERE c.workspace_id = ${workspaceId}::uuid AND c.created_at < ${before}::timestamptz AND ${IS_IDLE}
            ORDER BY c.created_at, c.id LIMIT ${BATCH}`,
        );
        const idle = found.filter((call) => call.idle);
        return (await deleteCalls(tx, recordings, idle)).calls;
      },
    },
    {
      kind: 'calls',
      place: 'dials',
      remove: (tx, workspaceId, before) =>
        tx.$executeRaw(sql`
          DELETE FROM dial_requests WHERE call_id = ANY (ARRAY (
            SELECT call_id FROM dial_requests
            WHERE workspace_id = ${workspaceId}::uuid AND state IN ('withdrawn', 'refused') AND requested_at < ${before}::timestamptz
            LIMIT ${BATCH} FOR UPDATE SKIP LOCKED))`),
    },
    {
      kind: 'recordings',
      place: 'recordings',
      remove: async (tx, workspaceId, before) => {
        const calls = await queryRows(
          tx,
          callRow,
          sql`SELECT id::text, recording_key AS key FROM calls
            WHERE workspace_id = ${workspaceId}::uuid AND recording_key IS NOT NULL AND ended_at < ${before}::timestamptz
            ORDER BY ended_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`,
        );
        await forEachLimited(calls, MAX_STORE_REQUESTS, async ({ key }) => {
          if (key) await recordings.remove(key);
        });
        const ids = calls.map(({ id }) => id);
        return tx.$executeRaw(sql`UPDATE calls SET recording_key = NULL WHERE id = ANY (${ids}::uuid[])`);
      },
    },
  ];
}
