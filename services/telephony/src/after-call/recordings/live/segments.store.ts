import { queryRow, queryRows, type SqlClient, sql } from '@parley/kit/db';
import { z } from 'zod';
import type { PrismaClient } from '../../../prisma.ts';

/*
 * A segment is the part of a call's recording that one worker makes during the call:
 *
 *   open        its worker writes the file
 *   stored      all of it is copied to the bucket; the file is deleted
 *   removable   (column `doomed`) it is part of a stored recording, or was erased: file and copies are removed, then the row
 */

const segmentRow = z.object({
  id: z.string(),
  callId: z.string(),
  workerId: z.string(),
  /** Its beginning, in milliseconds since the answer. */
  startMs: z.number(),
  sampleRate: z.number(),
  stored: z.boolean(),
  isRemovable: z.boolean(),
  isWorkerAlive: z.boolean(),
});

export type Segment = z.infer<typeof segmentRow>;

export type Segments = ReturnType<typeof createSegments>;

/** Segments removed per round. */
const BATCH = 100;

const columns = sql`s.id::text, s.call_id::text AS "callId", s.worker_id::text AS "workerId", s.start_ms AS "startMs",
  s.sample_rate AS "sampleRate", s.stored, s.doomed AS "isRemovable",
  EXISTS (SELECT FROM call_workers w WHERE w.id = s.worker_id AND w.expires_at > clock_timestamp()) AS "isWorkerAlive"`;

export function createSegments(prisma: PrismaClient) {
  return {
    /** Call before creating the file; idempotent. Returns the sample rate of the recording, which the first segment determines. */
    begin: async (
      segment: Pick<Segment, 'id' | 'callId' | 'workerId' | 'startMs' | 'sampleRate'> & {
        workspaceId: string;
      },
    ): Promise<number> => {
      const { id, callId, workspaceId, workerId, startMs, sampleRate } = segment;
      const row = await queryRow(
        prisma,
        segmentRow.pick({ sampleRate: true }),
        sql`INSERT INTO recording_segments (id, call_id, workspace_id, worker_id, start_ms, sample_rate)
          SELECT ${id}::uuid, ${callId}::uuid, ${workspaceId}::uuid, ${workerId}::uuid, ${startMs}::int, coalesce(
            (SELECT sample_rate FROM recording_segments WHERE call_id = ${callId}::uuid ORDER BY start_ms, id LIMIT 1), ${sampleRate}::int)
          ON CONFLICT (id) DO UPDATE SET id = EXCLUDED.id
          RETURNING sample_rate AS "sampleRate"`,
      );
      return row?.sampleRate ?? sampleRate;
    },

    /** Marks a segment as copied to the bucket. False: it is removable or deleted. */
    store: async (id: string): Promise<boolean> =>
      (await prisma.$executeRaw(
        sql`UPDATE recording_segments SET stored = true WHERE id = ${id}::uuid AND NOT doomed`,
      )) > 0,

    /** In chronological order. */
    ofCall: (callId: string): Promise<Segment[]> =>
      queryRows(
        prisma,
        segmentRow,
        sql`SELECT ${columns} FROM recording_segments s WHERE s.call_id = ${callId}::uuid AND NOT s.doomed ORDER BY s.start_ms, s.id`,
      ),

    find: (ids: readonly string[]): Promise<Segment[]> =>
      queryRows(
        prisma,
        segmentRow,
        sql`SELECT ${columns} FROM recording_segments s WHERE s.id = ANY (${ids}::uuid[])`,
      ),

    /** Marks segments that no call in progress and no recording job needs. */
    markAbandoned: (): Promise<unknown> =>
      prisma.$executeRaw(sql`
        UPDATE recording_segments s SET doomed = true
        WHERE NOT doomed AND NOT EXISTS (SELECT FROM recording_jobs j WHERE j.call_id = s.call_id)
          AND NOT EXISTS (SELECT FROM calls c WHERE c.id = s.call_id AND c.status <> 'completed')`),

    /** Removable segments that this worker (null: a process that is not a worker) removes: its own, stored ones, and those of dead workers. */
    removableBy: (workerId: string | null): Promise<Segment[]> =>
      queryRows(
        prisma,
        segmentRow,
        sql`SELECT * FROM (SELECT ${columns} FROM recording_segments s WHERE s.doomed) removable
          WHERE stored OR NOT "isWorkerAlive" OR "workerId" = ${workerId} ORDER BY id LIMIT ${BATCH}`,
      ),

    forget: (ids: readonly string[]): Promise<unknown> =>
      prisma.$executeRaw(sql`DELETE FROM recording_segments WHERE id = ANY (${ids}::uuid[]) AND doomed`),
  };
}

/** Marks the segments of calls as removable. The workers that have the files remove them. */
export async function markSegmentsRemovable(tx: SqlClient, callIds: readonly string[]): Promise<void> {
  await tx.$executeRaw(
    sql`UPDATE recording_segments SET doomed = true WHERE call_id = ANY (${callIds}::uuid[])`,
  );
}
