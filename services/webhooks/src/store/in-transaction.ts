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

const names = new Map<string, string>();

/** Statements are prepared: a few constant texts, which Postgres then plans once. */
const nameOf = (text: string): string => {
  const name = names.get(text) ?? `statement ${names.size}`;
  names.set(text, name);
  return name;
};

/** The same connection for what takes `Sql`. */
export function sqlOf(client: PoolClient): Sql {
  const run = (text: string, values: unknown[]) => client.query({ name: nameOf(text), text, values });
  return {
    $queryRawUnsafe: async <T>(text: string, ...values: unknown[]) => (await run(text, values)).rows as T,
    $executeRawUnsafe: async (text, ...values) => (await run(text, values)).rowCount ?? 0,
  };
}
