import type { Sql } from '@parley/kit/db';

/**
 * Makes those who add calls to a workspace wait for each other until their transactions end, so that a count of live
 * calls holds [general.17]. Take several in the order of their ids.
 */
export async function lockWorkspaceCalls(tx: Sql, workspaceId: string): Promise<void> {
  await tx.$executeRawUnsafe(
    `SELECT pg_advisory_xact_lock(hashtextextended('live calls ' || $1::text, 0))`,
    workspaceId,
  );
}

/** Calls that are not completed, by workspace; a workspace without any is missing. */
export async function countLiveCalls(tx: Sql, workspaceIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await tx.$queryRawUnsafe<{ id: string; live: number }[]>(
    `SELECT workspace_id::text AS id, count(*)::int AS live FROM calls
     WHERE workspace_id = ANY ($1::uuid[]) AND status <> 'completed' GROUP BY workspace_id`,
    [...workspaceIds],
  );
  return new Map(rows.map(({ id, live }) => [id, live]));
}
