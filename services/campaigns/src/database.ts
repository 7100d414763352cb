import { sql } from '@parley/kit/db';
import type { RuntimeProcess } from '@parley/kit/runtime';
import { Pool } from 'pg';
import type { Config } from './config.ts';

/** For COPY, which needs a connection of the driver itself. */
export function connectImportPool(config: Config, { lifecycle, log }: RuntimeProcess): Pool {
  const pool = new Pool({
    connectionString: config.DATABASE_URL,
    application_name: 'campaigns import',
    max: config.IMPORT_CONNECTIONS,
    connectionTimeoutMillis: 30_000,
    idle_in_transaction_session_timeout: 60_000,
    keepAlive: true,
  });
  pool.on('error', (err) => log.warn({ err }, 'database connection lost'));
  lifecycle.onStop('import connections', () => pool.end());
  return pool;
}

/**
 * For one transaction: a campaign that was just uploaded is not in the planner's statistics, so the planner would sort or hash a
 * million contacts instead of walking the index for the first few.
 */
export const BY_INDEX = sql`
  SELECT set_config('enable_sort', 'off', true), set_config('enable_hashjoin', 'off', true),
    set_config('enable_mergejoin', 'off', true), set_config('enable_seqscan', 'off', true)`;
