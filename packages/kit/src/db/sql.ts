import type { Sql as Statement } from 'sql-template-tag';
import { z } from 'zod';

// The tag of Prisma's `$queryRaw`, usable without a generated client and with plain `pg`.
export { default as sql, empty, join, raw, type Sql as Statement } from 'sql-template-tag';

/** What runs SQL: a Prisma client, a transaction of one, or a test's connection. */
export type SqlClient = {
  $queryRaw<T = unknown>(statement: Statement): Promise<T>;
  $executeRaw(statement: Statement): Promise<number>;
};

const listOf = new WeakMap<z.ZodType, z.ZodType>();

/**
 * Runs a statement and checks each row against `row`, so that a renamed column or a changed cast fails here instead of
 * somewhere downstream. Columns that `row` doesn't declare are dropped. Declare `row` beside the function, since zod compiles each schema
 * on its first use.
 *
 * @example
 * const row = z.object({ id: z.string(), due_at: z.date() });
 * const due = await queryRows(tx, row, sql`SELECT id::text, due_at FROM attempts WHERE id = ANY (${ids}::uuid[])`);
 */
export async function queryRows<Row extends z.ZodType>(
  client: SqlClient,
  row: Row,
  statement: Statement,
): Promise<z.infer<Row>[]> {
  const rows = await client.$queryRaw(statement);
  let list = listOf.get(row);
  if (!list) {
    list = z.array(row);
    listOf.set(row, list);
  }
  return list.parse(rows) as z.infer<Row>[];
}

/** The first row of {@link queryRows}, or undefined. */
export async function queryRow<Row extends z.ZodType>(
  client: SqlClient,
  row: Row,
  statement: Statement,
): Promise<z.infer<Row> | undefined> {
  return (await queryRows(client, row, statement))[0];
}
