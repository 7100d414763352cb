import type { Sql } from '@parley/kit/db';
import type { Call } from '../domain/calls/call.ts';
import type { Workers } from '../domain/workers/ports.ts';
import { CALL_COLUMNS, type CallRow, toCall } from './call-rows.ts';

const TAKE = `
  UPDATE calls SET worker_id = $1::uuid, fence = fence + 1
  WHERE id IN (
    SELECT c.id FROM calls c
    WHERE c.worker_id = ANY ($2::uuid[]) AND c.status <> 'completed'
    LIMIT $3 FOR UPDATE SKIP LOCKED
  )
  RETURNING ${CALL_COLUMNS}`;

const RETAKE = `
  UPDATE calls SET fence = fence + 1
  WHERE id = ANY ($2::uuid[]) AND worker_id = $1::uuid AND status <> 'completed'
  RETURNING ${CALL_COLUMNS}`;

const BURY = `
  DELETE FROM call_workers w
  WHERE id = ANY ($1::uuid[]) AND expires_at < clock_timestamp()
    AND NOT EXISTS (SELECT 1 FROM calls c WHERE c.worker_id = w.id AND c.status <> 'completed')`;

export function createWorkers(sql: Sql): Workers {
  return {
    takeOver: async (workerId, most): Promise<Call[]> => {
      const dead = await sql.$queryRawUnsafe<{ id: string }[]>(
        'SELECT id::text FROM call_workers WHERE expires_at < clock_timestamp() AND id <> $1::uuid',
        workerId,
      );
      if (dead.length === 0) return [];
      const ids = dead.map(({ id }) => id);
      const rows = await sql.$queryRawUnsafe<CallRow[]>(TAKE, workerId, ids, most);
      if (rows.length < most) await sql.$executeRawUnsafe(BURY, ids);
      return rows.map(toCall);
    },
    retake: async (workerId, callIds) => {
      const rows = await sql.$queryRawUnsafe<CallRow[]>(RETAKE, workerId, [...callIds]);
      return rows.map(toCall);
    },
    heldCalls: async (workerId) => {
      const rows = await sql.$queryRawUnsafe<{ id: string; fence: number }[]>(
        `SELECT id::text, fence FROM calls WHERE worker_id = $1::uuid AND status <> 'completed'`,
        workerId,
      );
      return new Map(rows.map(({ id, fence }) => [id, fence]));
    },
  };
}
