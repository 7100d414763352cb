import type { Client } from 'pg';
import type { Log } from '../log/index.ts';
import { connectOrCreate } from './ensure-database.ts';
import { type Migration, readMigrations } from './read-migrations.ts';

export type MigrateOptions = {
  databaseUrl: string;
  /** The folder that holds `<14 digits>_<name>/migration.sql`. */
  dir: string;
  log?: Log;
};

/** The advisory lock that Prisma's own `migrate deploy` takes. */
const LOCK = 72_707_369;

/** Prisma's own table, word for word: `prisma migrate deploy` finds its own. */
const HISTORY = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id VARCHAR(36) PRIMARY KEY NOT NULL,
  checksum VARCHAR(64) NOT NULL,
  finished_at TIMESTAMPTZ,
  migration_name VARCHAR(255) NOT NULL,
  logs TEXT,
  rolled_back_at TIMESTAMPTZ,
  started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  applied_steps_count INTEGER NOT NULL DEFAULT 0
)`;

/**
 * Brings a database up to date, creating it where it doesn't exist, and gives the names of what it applied. Each
 * migration and its line of history are one transaction. Several processes may do this at once: one works, the
 * others wait and find it done. A migration that was changed after it had been applied is an error.
 */
export async function migrate({ databaseUrl, dir, log }: MigrateOptions): Promise<string[]> {
  const migrations = await readMigrations(dir);
  const client = await connectOrCreate(databaseUrl);
  try {
    await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
    await client.query(HISTORY);
    const pending = await pendingOf(client, migrations);
    for (const migration of pending) {
      await apply(client, migration);
      log?.info({ migration: migration.name }, 'migration applied');
    }
    return pending.map(({ name }) => name);
  } finally {
    await client.end(); // Gives the lock back, too.
  }
}

type HistoryRow = { migration_name: string; checksum: string; finished_at: Date | null };

/** What the history lacks. Lines without a file are let be: an older release may run beside a newer one. */
async function pendingOf(client: Client, migrations: Migration[]): Promise<Migration[]> {
  const { rows } = await client.query<HistoryRow>(
    'SELECT migration_name, checksum, finished_at FROM _prisma_migrations WHERE rolled_back_at IS NULL',
  );
  const history = new Map(rows.map((row) => [row.migration_name, row]));
  return migrations.filter(({ name, checksum }) => {
    const row = history.get(name);
    if (!row) return true;
    if (row.finished_at === null) {
      throw new Error(`Migration "${name}" was begun by another tool and never finished: repair it first`);
    }
    if (row.checksum !== checksum) {
      throw new Error(
        `Migration "${name}" was changed after it had been applied: restore the file and write a new migration`,
      );
    }
    return false;
  });
}

async function apply(client: Client, { name, sql, checksum }: Migration): Promise<void> {
  try {
    await client.query('BEGIN');
    await client.query(sql);
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
       VALUES (gen_random_uuid()::text, $1, $2, now(), clock_timestamp(), 1)`,
      [checksum, name],
    );
    await client.query('COMMIT');
  } catch (cause) {
    // A connection that broke has rolled back by itself.
    await client.query('ROLLBACK').catch(() => {});
    throw new Error(`Migration "${name}" failed: ${reasonOf(cause, sql)}`, { cause });
  }
}

function reasonOf(err: unknown, sql: string): string {
  if (!(err instanceof Error)) return String(err);
  const position = 'position' in err ? Number(err.position) : 0;
  return position > 0 ? `${err.message} (line ${sql.slice(0, position).split('\n').length})` : err.message;
}
