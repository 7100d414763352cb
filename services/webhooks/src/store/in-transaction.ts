import type { DedicatedConnection, Sql } from '@parley/kit/db';
import type { PoolClient } from 'pg';

/** Runs `work` in a transaction of this connection; an error gives the connection up, which rolls back. */
export async function inTransaction<R>(
  connection: DedicatedConnection,
  work: (client: PoolClient) => Promise<R>,
): Promise<R> {
  const client = await connection.connect();
  let failed = true;
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    failed = false;
    return result;
  } finally {
    client.release(failed);
  }
}

/** The same connection for what takes `Sql`. */
export function sqlOf(client: PoolClient): Sql {
  return {
    $queryRawUnsafe: async <T>(sql: string, ...values: unknown[]) =>
      (await client.query(sql, values)).rows as T,
    $executeRawUnsafe: async (sql, ...values) => (await client.query(sql, values)).rowCount ?? 0,
  };
}
