import type { ClientBase, Pool } from 'pg';
import type { SqlClient } from './sql.ts';

const names = new Map<string, string>();

function nameOf(text: string): string {
  const name = names.get(text) ?? `statement ${names.size}`;
  names.set(text, name);
  return name;
}

/**
 * A connection of `pg` in the shape of a Prisma client's raw queries. With `prepared`, Postgres parses and plans each
 * text once per connection: for a few constant statements only, because every text stays in memory.
 */
export function pgSqlClient(client: ClientBase | Pick<Pool, 'query'>, { prepared = false } = {}): SqlClient {
  const run = (text: string, values: unknown[]) =>
    client.query(prepared ? { name: nameOf(text), text, values } : { text, values });
  return {
    $queryRaw: async <T>({ text, values }: { text: string; values: unknown[] }) =>
      (await run(text, values)).rows as T,
    $executeRaw: async ({ text, values }) => (await run(text, values)).rowCount ?? 0,
  };
}

/** Runs `work` in a transaction on a connection of `pool`. An error discards the connection, which rolls back. */
export async function pgTransaction<R>(
  pool: Pick<Pool, 'connect'>,
  work: (tx: SqlClient) => Promise<R>,
  options?: { prepared?: boolean },
): Promise<R> {
  const client = await pool.connect();
  let failed = true;
  try {
    await client.query('BEGIN');
    const result = await work(pgSqlClient(client, options));
    await client.query('COMMIT');
    failed = false;
    return result;
  } finally {
    client.release(failed);
  }
}
