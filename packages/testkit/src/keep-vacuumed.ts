import { Client, escapeIdentifier } from 'pg';

const EVERY_MS = 15_000;
/** Rows; fewer are not worth a vacuum. */
const MIN_CHANGED = 1_000;

/**
 * Vacuums the busy tables of a database until it is stopped, if its server has autovacuum switched off, as some servers for tests have.
 * Without it, a queue slows down within minutes, which no server in production does. Returns how to stop it.
 */
export async function keepVacuumed(url: string, everyMs = EVERY_MS): Promise<() => Promise<void>> {
  if (await isAutomatic(url)) return async () => {};
  let isStopped = false;
  let round: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    // The server may be down, since some benchmarks kill it: the next round is in time.
    round = round.then(() => (isStopped ? undefined : vacuumBusyTables(url))).catch(() => {});
  }, everyMs);
  timer.unref();
  return async () => {
    isStopped = true;
    clearInterval(timer);
    await round;
  };
}

function isAutomatic(url: string): Promise<boolean> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ autovacuum: string }>('SHOW autovacuum');
    return rows[0]?.autovacuum === 'on';
  });
}

function vacuumBusyTables(url: string): Promise<void> {
  return withClient(url, async (client) => {
    // As gently as autovacuum does.
    await client.query('SET vacuum_cost_delay = 2');
    const { rows } = await client.query<{ schema: string; table: string }>(
      `SELECT schemaname AS schema, relname AS table FROM pg_stat_user_tables
       WHERE greatest(n_dead_tup, n_mod_since_analyze, n_ins_since_vacuum) >= ${MIN_CHANGED}`,
    );
    for (const { schema, table } of rows) {
      await client.query(`VACUUM (ANALYZE) ${escapeIdentifier(schema)}.${escapeIdentifier(table)}`);
    }
  });
}

async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
