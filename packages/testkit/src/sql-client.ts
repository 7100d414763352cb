import { pgSqlClient, type Sql } from '@parley/kit/db';
import { Pool, type PoolClient } from 'pg';

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
    $transaction: async (work) => {
      const client = await pool.connect();
      let broken: Error | undefined;
      try {
        return await inTransaction(client, work);
      } catch (err) {
        broken = err instanceof Error ? err : new Error(String(err));
        throw err;
      } finally {
        client.release(broken);
      }
    },
    close: () => pool.end(),
  };
}

async function inTransaction<R>(client: PoolClient, work: (tx: Sql) => Promise<R>): Promise<R> {
  await client.query('BEGIN');
  try {
    const result = await work(pgSqlClient(client));
    await client.query('COMMIT');
    return result;
  } catch (err) {
    await client.query('ROLLBACK').catch(() => {});
    throw err;
  }
}
