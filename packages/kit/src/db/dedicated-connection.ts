import { Pool } from 'pg';
import type { Lifecycle } from '../lifecycle/index.ts';
import type { Log } from '../log/index.ts';

/** One connection. `connect` hands it out for several statements, `query` runs one; both wait until it is free. */
export type DedicatedConnection = Pick<Pool, 'connect' | 'query'>;

export type DedicatedConnectionOptions = {
  databaseUrl: string;
  /** What it is for; shown in `pg_stat_activity` as `parley-<name>`. */
  name: string;
  log: Log;
  lifecycle: Lifecycle;
  /** How long it may take to connect, and how long one statement may. Real time. */
  connectTimeoutMs?: number;
  statementTimeoutMs?: number;
  /** How long a transaction may stand still before the server ends it. Longer than a confirm of the broker where not given. */
  idleInTransactionMs?: number;
  /** Of the session, by the names of Postgres (`jit: 'off'`). */
  settings?: Readonly<Record<string, string>>;
};

const KEEP_ALIVE_AFTER_MS = 10_000;
/** A server that lives ends a slow statement itself: only one that can't be reached leaves it to us. */
const SERVER_FIRST_MS = 2_000;

/**
 * A connection for one purpose alone, opened again when it is lost. In the service's pool its statements would wait
 * behind every request in a rush, and what must not be late would be late just then.
 */
export function createDedicatedConnection(options: DedicatedConnectionOptions): DedicatedConnection {
  const {
    databaseUrl,
    name,
    log,
    lifecycle,
    connectTimeoutMs = 2_000,
    statementTimeoutMs = 15_000,
    idleInTransactionMs = 30_000,
    settings = {},
  } = options;
  const pool = new Pool({
    connectionString: databaseUrl,
    application_name: `parley-${name}`,
    options: Object.entries(settings)
      .map(([setting, value]) => `-c ${setting}=${value}`)
      .join(' '),
    max: 1,
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + SERVER_FIRST_MS,
    idle_in_transaction_session_timeout: idleInTransactionMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
  });
  const onLost = (err: Error): void => log.warn({ err, connection: name }, 'dedicated connection lost');
  pool.on('error', onLost);
  // While a client is taken the pool doesn't listen to it, and an unheard error would end the process.
  pool.on('connect', (client) => client.on('error', onLost));
  lifecycle.onStop(`connection ${name}`, () => pool.end());
  return pool;
}
