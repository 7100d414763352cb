import { pgSqlClient, pgTransaction, type Sql } from '@parley/kit/db';
import { Pool } from 'pg';

/** The part of a Prisma client that kit and tests use, over pg alone. */
export type SqlClient = Sql & {
  $transaction<R>(work: (tx: Sql) => Promise<R>): Promise<R>;
  close(): Promise<void>;
};

/** Opens a small pool. Lost connections fail the statement that needs them and nothing else. */
export function sqlClient(url: string, { max = 5 }: { max?: number } = {}): SqlClient {
  const pool = new Pool({ connectionString: url, max });
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return {
    ...pgSqlClient(pool),
    $transaction: (work) => pgTransaction(pool, work),
    close: () => pool.end(),
  };
}
