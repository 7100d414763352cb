import { queryRow, queryRows, type SqlClient, sql } from '@parley/kit/db';
import { z } from 'zod';

/*
 * `calls.recording_pause`, the pause of a live recording [calls.28]:
 *
 *   null       it records
 *   pausing    requested by a client; its worker pauses, then `paused`
 *   paused     a worker that takes the call over is paused as well
 *   resuming   requested by a client; its worker records again, then null
 */

const requestedRow = z.object({
  isOver: z.boolean(),
  /** A worker has begun to record the call. */
  isRecorded: z.boolean(),
  pause: z.enum(['pausing', 'paused', 'resuming']).nullable(),
});

export type RecordingState = z.infer<typeof requestedRow>;

const pauseRow = z.object({ id: z.string(), isPaused: z.boolean() });

/** A request to the worker of a call. */
export type RequestedPause = z.infer<typeof pauseRow>;

export type RecordingPauses = ReturnType<typeof createRecordingPauses>;

export function createRecordingPauses(client: SqlClient) {
  return {
    find: (workspaceId: string, id: string): Promise<RecordingState | undefined> =>
      queryRow(
        client,
        requestedRow,
        sql`SELECT status = 'completed' AS "isOver", recording_pause AS pause,
          EXISTS (SELECT FROM recording_segments s WHERE s.call_id = calls.id AND NOT s.doomed) AS "isRecorded"
          FROM calls WHERE workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid`,
      ),

    /** Requests a pause, or its end, from the worker of the call. No effect if it is so already, or requested. */
    request: async (workspaceId: string, id: string, isPaused: boolean): Promise<void> => {
      const from = isPaused
        ? sql`(recording_pause IS NULL OR recording_pause = 'resuming')`
        : sql`recording_pause IN ('pausing', 'paused')`;
      await client.$executeRaw(sql`UPDATE calls SET recording_pause = ${isPaused ? 'pausing' : 'resuming'}
        WHERE workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid AND status <> 'completed' AND ${from}`);
    },

    /** The requests to this worker. */
    requested: (workerId: string): Promise<RequestedPause[]> =>
      queryRows(
        client,
        pauseRow,
        sql`SELECT id::text, recording_pause = 'pausing' AS "isPaused" FROM calls
          WHERE worker_id = ${workerId}::uuid AND recording_pause IN ('pausing', 'resuming') AND status <> 'completed'`,
      ),

    /** This worker has done what was requested. No effect if another request has come meanwhile, or another worker has the call. */
    confirm: async (workerId: string, { id, isPaused }: RequestedPause, at: Date): Promise<void> => {
      const [before, after, state] = isPaused
        ? ['pausing', 'paused', 'paused']
        : ['resuming', null, 'resumed'];
      await client.$executeRaw(sql`WITH done AS (
          UPDATE calls SET recording_pause = ${after}::text
          WHERE id = ${id}::uuid AND worker_id = ${workerId}::uuid AND recording_pause = ${before} AND status <> 'completed'
          RETURNING id
        )
        INSERT INTO call_events (call_id, at, type, detail)
        SELECT id, ${at.toISOString()}::timestamptz, 'recording', ${JSON.stringify({ state })}::json FROM done`);
    },
  };
}
