import { readdir } from 'node:fs/promises';
import { z } from 'zod';
import { queryRow, type SqlClient, sql } from '../db/index.ts';

const appliedRow = z.object({ applied: z.boolean() });

/**
 * A readiness check. Rejects while the database cannot be reached or lacks the newest migration of `dir`, whose columns the code
 * reads.
 */
export function createMigrationCheck(client: SqlClient, dir: string): () => Promise<void> {
  let applied = false;
  return async () => {
    if (applied) {
      await client.$queryRaw(sql`SELECT 1`);
      return;
    }
    const newest = await newestOf(dir);
    const row = await queryRow(
      client,
      appliedRow,
      sql`SELECT EXISTS (SELECT 1 FROM _prisma_migrations
        WHERE migration_name = ${newest} AND finished_at IS NOT NULL AND rolled_back_at IS NULL) AS applied`,
    );
    if (!row?.applied) throw new Error(`migration ${newest} is not applied yet`);
    applied = true;
  };
}

async function newestOf(dir: string): Promise<string> {
  const entries = await readdir(dir, { withFileTypes: true });
  const newest = entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
    .at(-1);
  if (newest === undefined) throw new Error(`no migrations in ${dir}`);
  return newest;
}
