import { queryRow, sql } from '@parley/kit/db';
import type { RemovalStep } from '@parley/kit/removal';
import { z } from 'zod';
import type { EraseDeps } from './erase-calls.store.ts';

const countRow = z.object({ count: z.number() });

/** Removes recordings of live calls from this disk and the bucket, and waits until the workers have removed theirs. */
export function awaitSegments({
  removeUnusedSegments,
}: Pick<EraseDeps, 'removeUnusedSegments'>): RemovalStep {
  return async (tx, { workspaceId }) => {
    await removeUnusedSegments();
    const row = await queryRow(
      tx,
      countRow,
      sql`SELECT count(*)::int AS count FROM recording_segments WHERE workspace_id = ${workspaceId}::uuid AND doomed`,
    );
    const waiting = row && row.count > 0 ? 'the recording of a call on the disk of a worker' : null;
    return { next: null, waiting };
  };
}
