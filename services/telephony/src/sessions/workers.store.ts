import { queryRows, type SqlClient, sql } from '@parley/kit/db';
import { realNow } from '@parley/kit/time';
import { z } from 'zod';
import type { Call } from './call.ts';
import { type CallRow, callColumns, callRow, toCall } from './call-rows.store.ts';
import type { Workers } from './worker-ports.ts';

const deadRow = z.object({ id: z.string(), handed_over: z.boolean() });
const takenRow = callRow.extend({ taken_from: z.string() });
const crashRow = z.object({ id: z.string(), step_crashes: z.number(), crashes: z.number() });
const heldRow = z.object({ id: z.string(), fence: z.number() });

/**
 * Deaths of workers that wait for the human or the carrier count together if each follows the one before it this soon. A call kills its
 * next worker about when its lease was taken over; machines that are replaced die further apart.
 */
const MAX_APART_SECONDS = 60;

export function createWorkers(client: SqlClient): Workers {
  return {
    takeOver: async (workerId, max) => {
      const dead = await queryRows(
        client,
        deadRow,
        sql`SELECT id::text, handed_over FROM call_workers
        WHERE expires_at < clock_timestamp() AND id <> ${workerId}::uuid`,
      );
      if (dead.length === 0) return [];
      const ids = dead.map(({ id }) => id);
      const handedOver = new Set(dead.filter((worker) => worker.handed_over).map(({ id }) => id));
      const rows = await queryRows(
        client,
        takenRow,
        sql`UPDATE calls SET worker_id = ${workerId}::uuid, fence = fence + 1
        FROM (
          SELECT c.id AS taken_id, c.worker_id AS taken_from FROM calls c
          WHERE c.worker_id = ANY (${ids}::uuid[]) AND c.status <> 'completed'
          LIMIT ${max} FOR UPDATE SKIP LOCKED
        ) AS taken
        WHERE id = taken_id
        RETURNING ${callColumns}, taken_from::text`,
      );
      if (rows.length < max) {
        await client.$executeRaw(sql`DELETE FROM call_workers w
          WHERE id = ANY (${ids}::uuid[]) AND expires_at < clock_timestamp()
            AND NOT EXISTS (SELECT 1 FROM calls c WHERE c.worker_id = w.id AND c.status <> 'completed')`);
      }
      return rows.map((row) => ({ call: toInherited(row), workerCrashed: !handedOver.has(row.taken_from) }));
    },
    retake: async (workerId, callIds) => {
      const rows = await queryRows(
        client,
        callRow,
        sql`UPDATE calls SET fence = fence + 1
        WHERE id = ANY (${[...callIds]}::uuid[]) AND worker_id = ${workerId}::uuid AND status <> 'completed'
        RETURNING ${callColumns}`,
      );
      return rows.map(toInherited);
    },
    countCrashes: async (workerId, crashed) => {
      if (crashed.length === 0) return new Map();
      const json = JSON.stringify(
        crashed.map(({ call, step: { name, atWork } }) => ({
          ...{ call_id: call.id, fence: call.fence, step: name, at_work: atWork },
        })),
      );
      const rows = await queryRows(
        client,
        crashRow,
        sql`UPDATE calls c SET crash_step = given.step, crashes = least(crashes + 1, 1000), crashed_at = clock_timestamp(),
          step_crashes = CASE
            WHEN crash_step = given.step
              AND (given.at_work OR crashed_at > clock_timestamp() - ${MAX_APART_SECONDS} * interval '1 second')
            THEN least(step_crashes + 1, 1000) ELSE 1 END
        FROM json_to_recordset(${json}::json) AS given (call_id uuid, fence int, step text, at_work boolean)
        WHERE c.id = given.call_id AND c.worker_id = ${workerId}::uuid AND c.fence = given.fence
        RETURNING c.id::text, c.step_crashes, c.crashes`,
      );
      return new Map(
        rows.map(({ id, step_crashes, crashes }) => [id, { atStep: step_crashes, total: crashes }]),
      );
    },
    heldCalls: async (workerId) => {
      const rows = await queryRows(
        client,
        heldRow,
        sql`SELECT id::text, fence FROM calls WHERE worker_id = ${workerId}::uuid AND status <> 'completed'`,
      );
      return new Map(rows.map(({ id, fence }) => [id, fence]));
    },
  };
}

/**
 * Tools and the state of the leg that another worker stored may have numbers that were erased since the call began: it may have written them
 * after the last pass of the erasure.
 */
function toInherited(row: CallRow): Call {
  const call = toCall(row);
  // With an accelerated clock the beginning may be later than now.
  const readAt = new Date(Math.min(call.createdAt.getTime(), realNow().getTime()));
  return { ...call, readAt };
}
