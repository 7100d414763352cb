import { Pool } from 'pg';
import type { Lifecycle } from '../lifecycle/index.ts';
import type { Log } from '../log/index.ts';

/** A pool of one connection: `connect` acquires it for several statements, `query` runs one; both wait until it is free. */
export type DedicatedConnection = Pick<Pool, 'connect' | 'query'>;

export type DedicatedConnectionOptions = {
  databaseUrl: string;
  /** Its purpose; `parley-<name>` in `pg_stat_activity`. */
  name: string;
  log: Log;
  lifecycle: Lifecycle;
  /** Real milliseconds to connect, and of one statement. */
  connectTimeoutMs?: number;
  statementTimeoutMs?: number;
  /** Milliseconds after which the server ends an idle transaction; by default longer than a confirm of the broker. */
  idleInTransactionMs?: number;
  /** Settings of the session (`jit: 'off'`). */
  settings?: Readonly<Record<string, string>>;
};

const KEEP_ALIVE_AFTER_MS = 10_000;
/** The server cancels slow statements first; the client's timeout is for a server that can't be reached. */
const SERVER_FIRST_MS = 2_000;

/**
 * A connection for one purpose, which is reopened when it is lost. In the service's pool its statements would queue behind requests
 * under load.
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
  // The pool doesn't listen to acquired clients, and an unhandled `error` event would end the process.
  pool.on('connect', (client) => client.on('error', onLost));
  lifecycle.onStop(`connection ${name}`, () => pool.end());
  return pool;
}
