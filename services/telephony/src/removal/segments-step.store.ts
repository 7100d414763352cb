import { queryRow, sql } from '@parley/kit/db';
import type { RemovalStep } from '@parley/kit/removal';
import { z } from 'zod';

const countRow = z.object({ count: z.number() });

/** Waits until the workers have removed the recordings of calls from their disks and the bucket. */
export const awaitSegments: RemovalStep = async (tx, { workspaceId }) => {
  const row = await queryRow(
    tx,
    countRow,
    sql`SELECT count(*)::int AS count FROM recording_segments WHERE workspace_id = ${workspaceId}::uuid AND doomed`,
  );
  const waiting = row && row.count > 0 ? 'the recording of a call on the disk of a worker' : null;
  return { next: null, waiting };
};
