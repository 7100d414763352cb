import type { Sql } from '@parley/kit/db';
import type { StoppableCalls } from '../domain/stopping/ports.ts';
import { CALL_COLUMNS, type CallRow, toCall } from './call-rows.ts';
import { saveCalls } from './call-writes.ts';

const WITHDRAW = `
  UPDATE dial_requests SET state = 'withdrawn', reason = 'withdrawn'
  WHERE workspace_id = $1::uuid AND call_id = $2::uuid AND state = 'waiting' AND campaign_id IS NULL`;

const LOCK = `SELECT ${CALL_COLUMNS} FROM calls WHERE workspace_id = $1::uuid AND id = $2::uuid FOR UPDATE`;

const REQUEST = `
  UPDATE calls SET stop_requested_at = $3::timestamptz
  WHERE workspace_id = $1::uuid AND id = $2::uuid AND stop_requested_at IS NULL`;

const STOPPED = `
  SELECT id::text FROM calls
  WHERE worker_id = $1::uuid AND stop_requested_at IS NOT NULL AND status <> 'completed'`;

export function createStoppableCalls(): StoppableCalls {
  return {
    withdraw: async (tx, workspaceId, callId) => {
      await tx.$executeRawUnsafe(WITHDRAW, workspaceId, callId);
    },
    lock: async (tx, workspaceId, callId) => {
      const [row] = await tx.$queryRawUnsafe<CallRow[]>(LOCK, workspaceId, callId);
      return row && toCall(row);
    },
    request: async (tx, { workspaceId, id }, now) => {
      await tx.$executeRawUnsafe(REQUEST, workspaceId, id, now.toISOString());
    },
    end: async (tx, call, change, now) => {
      await saveCalls(tx, [{ ...change, call, workerId: null }], now);
    },
  };
}

export async function findStopped(sql: Sql, workerId: string): Promise<string[]> {
  const rows = await sql.$queryRawUnsafe<{ id: string }[]>(STOPPED, workerId);
  return rows.map(({ id }) => id);
}
