import { queryRow, sql } from '@parley/kit/db';
import { halved, type RemovalStep } from '@parley/kit/removal';
import { z } from 'zod';
import { removeErasedFiles } from '../after-call/recordings/erased-recordings.store.ts';
import type { EraseDeps } from './erase-calls.store.ts';

/** Small, since the files of a batch are removed in its transaction. */
const BATCH = 50;

const erasedRow = z.object({ exists: z.boolean() });

/** Removes the files of recordings whose calls have lost words. */
export function removeRecordings({ recordings }: Pick<EraseDeps, 'recordings'>): RemovalStep {
  return async (tx, { workspaceId, halvings }) => {
    const maxCalls = halved(BATCH, halvings);
    const hasMore = await removeErasedFiles(tx, recordings, { workspaceId, maxCalls });
    return { next: hasMore ? 'more' : null };
  };
}

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
