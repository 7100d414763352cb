import { readdir } from 'node:fs/promises';
import type { Sql } from '../db/index.ts';

const APPLIED = `SELECT EXISTS (SELECT 1 FROM _prisma_migrations
  WHERE migration_name = $1 AND finished_at IS NOT NULL AND rolled_back_at IS NULL) AS applied`;

/**
 * A readiness test: rejects while the database is away, or lacks the newest migration of `dir` (the code would read columns
 * that aren't there yet). An applied one is not asked for again.
 */
export function createMigrationCheck(sql: Sql, dir: string): () => Promise<void> {
  let applied = false;
  return async () => {
    if (applied) {
      await sql.$queryRawUnsafe('SELECT 1');
      return;
    }
    const newest = await newestOf(dir);
    const [row] = await sql.$queryRawUnsafe<{ applied: boolean }[]>(APPLIED, newest);
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
