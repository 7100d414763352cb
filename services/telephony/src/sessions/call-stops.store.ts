import { queryRow, queryRows, type SqlClient, sql } from '@parley/kit/db';
import { z } from 'zod';
import { callColumns, callRow, stopCause, toCall } from './call-rows.store.ts';
import { saveCalls } from './call-writes.store.ts';
import type { StoppableCalls, StoppedCall } from './stop-ports.ts';

export function createStoppableCalls(): StoppableCalls {
  return {
    withdraw: async (tx, workspaceId, callId) => {
      // Locked in any state: a dial that is undone at this moment waits again afterwards.
      await tx.$executeRaw(sql`SELECT 1 FROM dial_requests
        WHERE workspace_id = ${workspaceId}::uuid AND call_id = ${callId}::uuid FOR UPDATE`);
      await tx.$executeRaw(sql`UPDATE dial_requests SET state = 'withdrawn', reason = 'withdrawn'
        WHERE workspace_id = ${workspaceId}::uuid AND call_id = ${callId}::uuid AND state = 'waiting'
          AND campaign_id IS NULL`);
    },
    lock: async (tx, workspaceId, callId) => {
      const row = await queryRow(
        tx,
        callRow,
        sql`SELECT ${callColumns} FROM calls WHERE workspace_id = ${workspaceId}::uuid AND id = ${callId}::uuid FOR UPDATE`,
      );
      return row && toCall(row);
    },
    request: async (tx, { workspaceId, id }, cause, now) => {
      await tx.$executeRaw(sql`UPDATE calls SET stop_requested_at = ${now.toISOString()}::timestamptz, stop_cause = ${cause}
        WHERE workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid AND stop_requested_at IS NULL`);
    },
    end: async (tx, call, change, now) => {
      await saveCalls(tx, [{ ...change, call, workerId: null }], now);
    },
  };
}

const stoppedRow = z.object({ id: z.string(), cause: z.enum(['stopped', 'workspace_suspended']) });

export function findStopped(client: SqlClient, workerId: string): Promise<StoppedCall[]> {
  return queryRows(
    client,
    stoppedRow,
    sql`SELECT id::text, ${stopCause} AS cause FROM calls
    WHERE worker_id = ${workerId}::uuid AND stop_requested_at IS NOT NULL AND status <> 'completed'`,
  );
}
