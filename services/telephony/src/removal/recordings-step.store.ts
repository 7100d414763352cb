import { queryRow, sql } from '@parley/kit/db';
import type { RemovalStep } from '@parley/kit/removal';
import { z } from 'zod';

const erasedRow = z.object({ exists: z.boolean() });

/**
 * Waits for recordings whose calls have lost words: until then a worker may store what it has read before, or a dead one have stored it. Other
 * recordings of the workspace, however many, are not waited for.
 */
export const awaitRecordings: RemovalStep = async (tx, { workspaceId }) => {
  const row = await queryRow(
    tx,
    erasedRow,
    sql`SELECT EXISTS (
      SELECT FROM recording_jobs j JOIN calls c ON c.id = j.call_id WHERE j.erased AND c.workspace_id = ${workspaceId}::uuid
    ) AS exists`,
  );
  return { next: null, waiting: row?.exists ? 'a recording that is made again without the number' : null };
};
