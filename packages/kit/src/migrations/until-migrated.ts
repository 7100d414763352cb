import { Client } from 'pg';
import { realSleep } from '../time/index.ts';
import { createMigrationCheck } from './check-migrated.ts';

const EVERY_MS = 1_000;
const CONNECT_TIMEOUT_MS = 5_000;

export type UntilMigratedOptions = {
  databaseUrl: string;
  /** As `migrate` takes it. */
  dir: string;
  /** Why it isn't so yet, whenever the reason changes. */
  onWait?: (reason: string) => void;
};

/**
 * Resolves when the newest migration of `dir` is applied, by whomever, and waits however long that takes: over a database
 * that is away or isn't there yet. For what must not begin on an older schema.
 */
export async function untilMigrated({ databaseUrl, dir, onWait }: UntilMigratedOptions): Promise<void> {
  let told: string | undefined;
  for (;;) {
    const reason = await reasonToWait(databaseUrl, dir);
    if (reason === undefined) return;
    if (reason !== told) onWait?.(reason);
    told = reason;
    await realSleep(EVERY_MS);
  }
}

async function reasonToWait(connectionString: string, dir: string): Promise<string | undefined> {
  const client = new Client({
    connectionString,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: CONNECT_TIMEOUT_MS,
    application_name: 'parley-await-migration',
  });
  client.on('error', () => {});
  try {
    await client.connect();
    await createMigrationCheck(
      {
        $queryRawUnsafe: async <T>(sql: string, ...values: unknown[]) =>
          (await client.query(sql, values)).rows as T,
        $executeRawUnsafe: async (sql, ...values) => (await client.query(sql, values)).rowCount ?? 0,
      },
      dir,
    )();
    return undefined;
  } catch (err) {
    return err instanceof Error ? err.message : String(err);
  } finally {
    await client.end().catch(() => {});
  }
}
