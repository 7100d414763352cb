import { createBatcher } from '@parley/kit/concurrency';
import { queryRows, type SqlClient, sql } from '@parley/kit/db';
import { z } from 'zod';
import type { CallWrites } from './ports.ts';

type Held = { id: string; worker_id: string; fence: number };

const heldRow = z.object({ id: z.string(), lives: z.boolean() });

/** Whether a worker holds a call; simultaneous checks share one statement. */
export function createCallHolders(client: SqlClient): CallWrites['holds'] {
  const check = createBatcher(async (calls: Held[]) => {
    const rows = await queryRows(
      client,
      heldRow,
      sql`SELECT c.id::text, coalesce(w.expires_at > clock_timestamp(), false) AS lives
      FROM json_to_recordset(${JSON.stringify(calls)}::json) AS given (id uuid, worker_id uuid, fence int)
      JOIN calls c ON c.id = given.id AND c.worker_id = given.worker_id AND c.fence = given.fence
        AND c.status <> 'completed'
      LEFT JOIN call_workers w ON w.id = c.worker_id`,
    );
    const lives = new Map(rows.map((row) => [row.id, row.lives]));
    return calls.map(({ id }) => lives.get(id));
  });
  return async ({ workerId }, { id, fence }) => {
    const isLive = await check({ id, worker_id: workerId, fence });
    if (isLive === false) throw new Error('The lease of this worker has expired');
    return isLive ?? false;
  };
}
