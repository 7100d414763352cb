import type { Client } from 'pg';
import { isConnectivityError } from '../errors/index.ts';
import type { Log } from '../log/index.ts';
import { realSleep } from '../time/index.ts';
import { connectOrCreate } from './ensure-database.ts';
import { type Migration, readMigrations } from './read-migrations.ts';

export type MigrateOptions = {
  databaseUrl: string;
  /** The folder of `<14 digits>_<name>/migration.sql`. */
  dir: string;
  log?: Log;
  /** Waits for a database that can't be reached; called with the reason whenever it changes. Without it the error is thrown. */
  onWait?: (reason: string) => void;
};

/** The advisory lock that Prisma's own `migrate deploy` takes. */
const LOCK = 72_707_369;

const REACH_EVERY_MS = 1_000;
const LOCK_EVERY_MS = 250;
/** The first line of a migration whose single statement must not run in a transaction (`CREATE INDEX CONCURRENTLY IF NOT EXISTS`). */
const NO_TRANSACTION = '-- no transaction';

/** Prisma's own table, for compatibility with `prisma migrate deploy`. */
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
 * Migrates a database, which it creates if needed, and returns the names of the applied migrations. A migration and its row in the history
 * are one transaction, unless its first line is `-- no transaction`. Concurrent processes wait for each other. A migration that was changed
 * after it had been applied is an error.
 */
export async function migrate({ databaseUrl, dir, log, onWait }: MigrateOptions): Promise<string[]> {
  const migrations = await readMigrations(dir);
  const client = onWait ? await reach(databaseUrl, onWait) : await connectOrCreate(databaseUrl);
  try {
    await acquireLock(client);
    // A role without permission to change the schema can run this when nothing is pending.
    const { rows } = await client.query("SELECT to_regclass('_prisma_migrations') IS NULL AS is_new");
    if (rows[0]?.is_new) await client.query(HISTORY);
    const pending = await pendingOf(client, migrations);
    for (const migration of pending) {
      await apply(client, migration);
      log?.info({ migration: migration.name }, 'migration applied');
    }
    return pending.map(({ name }) => name);
  } finally {
    await client.end(); // Releases the lock as well.
  }
}

/**
 * Polls instead of waiting in the server: a waiting session has a snapshot, for which a concurrent index build of the lock's holder would
 * wait in turn.
 */
async function acquireLock(client: Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS acquired', [LOCK]);
    if (rows[0]?.acquired) return;
    await realSleep(LOCK_EVERY_MS);
  }
}

async function reach(databaseUrl: string, onWait: (reason: string) => void): Promise<Client> {
  let reported: string | undefined;
  for (;;) {
    try {
      return await connectOrCreate(databaseUrl);
    } catch (err) {
      if (!isConnectivityError(err)) throw err;
      const reason = err instanceof Error && err.message !== '' ? err.message : String(err);
      if (reason !== reported) onWait(reason);
      reported = reason;
    }
    await realSleep(REACH_EVERY_MS);
  }
}

type HistoryRow = { migration_name: string; checksum: string; finished_at: Date | null };

/** The migrations that are not in the history. Rows without a file are ignored: an older release may run beside a newer one. */
async function pendingOf(client: Client, migrations: Migration[]): Promise<Migration[]> {
  const { rows } = await client.query<HistoryRow>(
    'SELECT migration_name, checksum, finished_at FROM _prisma_migrations WHERE rolled_back_at IS NULL',
  );
  const history = new Map(rows.map((row) => [row.migration_name, row]));
  return migrations.filter(({ name, checksum }) => {
    const row = history.get(name);
    if (!row) return true;
    if (row.finished_at === null) {
      throw new Error(`Migration "${name}" was started by another tool and not finished: repair it first`);
    }
    if (row.checksum !== checksum) {
      throw new Error(
        `Migration "${name}" was changed after it had been applied: restore the file and write a new migration`,
      );
    }
    return false;
  });
}

async function apply(client: Client, migration: Migration): Promise<void> {
  const { name, sql } = migration;
  try {
    if (sql.startsWith(NO_TRANSACTION)) {
      await dropInvalidIndexes(client);
      await client.query(sql);
      await record(client, migration);
      return;
    }
    await client.query('BEGIN');
    await client.query(sql);
    await record(client, migration);
    await client.query('COMMIT');
  } catch (cause) {
    // A lost connection has rolled back already.
    await client.query('ROLLBACK').catch(() => {});
    throw new Error(`Migration "${name}" failed: ${reasonOf(cause, sql)}`, { cause });
  }
}

async function record(client: Client, { name, checksum }: Migration): Promise<void> {
  await client.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
     VALUES (gen_random_uuid()::text, $1, $2, now(), clock_timestamp(), 1)`,
    [checksum, name],
  );
}

/** An interrupted concurrent build leaves an invalid index, which `IF NOT EXISTS` would accept. */
async function dropInvalidIndexes(client: Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT indexrelid::regclass::text AS name FROM pg_index WHERE NOT indisvalid',
  );
  for (const { name } of rows) await client.query(`DROP INDEX CONCURRENTLY ${name}`);
}

function reasonOf(err: unknown, sql: string): string {
  if (!(err instanceof Error)) return String(err);
  const position = 'position' in err ? Number(err.position) : 0;
  return position > 0 ? `${err.message} (line ${sql.slice(0, position).split('\n').length})` : err.message;
}
