import type { Sql } from '@parley/kit/db';
import type { ClientBase } from 'pg';

/** A connection of pg in the shape that kit's functions take a transaction in. */
export function pgSql(client: ClientBase): Sql {
  return {
    $queryRawUnsafe: async <T>(sql: string, ...values: unknown[]) =>
      (await client.query(sql, values)).rows as T,
    $executeRawUnsafe: async (sql, ...values) => (await client.query(sql, values)).rowCount ?? 0,
  };
}
