import { Pool } from 'pg';
import type { Lifecycle } from '../lifecycle/index.ts';
import type { Log } from '../log/index.ts';

export type RelayConnection = Pick<Pool, 'connect'>;

const CONNECT_TIMEOUT_MS = 2_000;
const STATEMENT_TIMEOUT_MS = 15_000;
/** Longer than a confirm may take. */
const IDLE_IN_TRANSACTION_MS = 30_000;
const KEEP_ALIVE_AFTER_MS = 10_000;

/**
 * One connection for the relay alone, opened again when it is lost. In the service's pool it would wait behind
 * every request in a rush, and messages would be late just when there are many.
 */
export function createRelayConnection(databaseUrl: string, log: Log, lifecycle: Lifecycle): RelayConnection {
  const pool = new Pool({
    connectionString: databaseUrl,
    application_name: 'parley-outbox',
    max: 1,
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
  });
  const onLost = (err: Error): void => log.warn({ err }, 'outbox connection lost');
  pool.on('error', onLost);
  // While a client is taken the pool doesn't listen to it, and an unheard error would end the process.
  pool.on('connect', (client) => client.on('error', onLost));
  lifecycle.onStop('outbox connection', () => pool.end());
  return pool;
}
