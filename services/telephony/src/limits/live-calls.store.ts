import { queryRows, type SqlClient, sql } from '@parley/kit/db';
import { z } from 'zod';

const liveRow = z.object({ id: z.string(), live: z.number() });

/**
 * Serializes transactions that add calls to a workspace until they end, so that a count of live calls stays exact [general.19]. Lock
 * several in the order of their ids.
 */
export async function lockWorkspaceCalls(tx: SqlClient, workspaceId: string): Promise<void> {
  await tx.$executeRaw(
    sql`SELECT pg_advisory_xact_lock(hashtextextended('live calls ' || ${workspaceId}::text, 0))`,
  );
}

/** The live calls of a workspace, exact until the transaction ends. */
export async function countExactly(tx: SqlClient, workspaceId: string): Promise<number> {
  await lockWorkspaceCalls(tx, workspaceId);
  return (await countLiveCalls(tx, [workspaceId])).get(workspaceId) ?? 0;
}

/** Calls that are not completed, by workspace; a workspace without any is missing. */
export async function countLiveCalls(
  tx: SqlClient,
  workspaceIds: readonly string[],
): Promise<Map<string, number>> {
  const rows = await queryRows(
    tx,
    liveRow,
    sql`SELECT workspace_id::text AS id, count(*)::int AS live FROM calls
    WHERE workspace_id = ANY (${[...workspaceIds]}::uuid[]) AND status <> 'completed' GROUP BY workspace_id`,
  );
  return new Map(rows.map(({ id, live }) => [id, live]));
}
