import { z } from 'zod';
import { empty, join, queryRows, raw, type SqlClient, sql } from '../db/index.ts';

/** A column of sealed text. Its names are constants, never input. */
export type SealedColumn = {
  table: string;
  column: string;
  /** The primary key of the table, in its order. */
  key: readonly { name: string; type: 'uuid' | 'integer' }[];
  /** The place of a row's secret (`aad`), by the row's key. */
  place: (...key: string[]) => string;
};

/** The head of one row: null without a secret, and empty if the value is not sealed text. */
export type StoredHead = { key: string[]; head: string | null };
export type NewHead = { key: string[]; from: string; to: string };

const headRow = z.object({ key: z.array(z.string()), head: z.string().nullable() });
const sampleRow = z.object({ key: z.array(z.string()), head: z.string() });
const countRow = z.object({ key_id: z.string(), count: z.number() });

/** The first three parts of sealed text: version, key id, wrapped data key. */
const HEAD_PATTERN = '^[^.]*[.][^.]*[.][^.]*';

const namesOf = ({ key }: SealedColumn) => join(key.map(({ name }) => raw(name)));
const keyOf = ({ key }: SealedColumn) => sql`ARRAY[${join(key.map(({ name }) => raw(`${name}::text`)))}]`;

/** The next rows in the order of the primary key, including those without a secret, so that a batch reads a bounded part of the index. */
export async function readHeads(
  client: SqlClient,
  sealed: SealedColumn,
  { after, limit }: { after: readonly string[] | null; limit: number },
): Promise<StoredHead[]> {
  const [table, column, names] = [raw(sealed.table), raw(sealed.column), namesOf(sealed)];
  const bounds = sealed.key.map(({ type }, i) => sql`${after?.[i]}::${raw(type)}`);
  return queryRows(
    client,
    headRow,
    sql`SELECT ${keyOf(sealed)} AS key, CASE WHEN ${column} IS NOT NULL THEN
        coalesce(substring(left(${column}, 256) FROM ${HEAD_PATTERN}::text), '') END AS head
      FROM ${table} ${after ? sql`WHERE (${names}) > (${join(bounds)})` : empty} ORDER BY ${names} LIMIT ${limit}`,
  );
}

/**
 * Replaces heads that have not changed since they were read, and returns their number. Locked rows are skipped, so that neither side
 * waits.
 */
export async function swapHeads(
  client: SqlClient,
  sealed: SealedColumn,
  heads: readonly NewHead[],
): Promise<number> {
  if (heads.length === 0) return 0;
  const [table, column] = [raw(sealed.table), raw(sealed.column)];
  const columns = sealed.key.map((_, i) => raw(`k${i}`));
  const keys = sealed.key.map(({ type }, i) => sql`${heads.map(({ key }) => key[i])}::${raw(type)}[]`);
  const matches = (other: string) =>
    raw(sealed.key.map(({ name }, i) => `t.${name} = ${other}.k${i}`).join(' AND '));
  return client.$executeRaw(sql`
    WITH given AS (
      SELECT * FROM unnest(${join(keys)}, ${heads.map(({ from }) => from)}::text[], ${heads.map(({ to }) => to)}::text[])
        AS g (${join(columns)}, old, new)
    ), held AS (
      SELECT given.* FROM ${table} t JOIN given ON ${matches('given')}
      WHERE starts_with(t.${column}, given.old || '.') FOR UPDATE OF t SKIP LOCKED
    )
    UPDATE ${table} t SET ${column} = held.new || substr(t.${column}, length(held.old) + 1)
    FROM held WHERE ${matches('held')}`);
}

/** The number of secrets by the id of their key. */
export function countByKey(client: SqlClient, sealed: SealedColumn): Promise<z.infer<typeof countRow>[]> {
  const [table, column] = [raw(sealed.table), raw(sealed.column)];
  return queryRows(
    client,
    countRow,
    sql`SELECT split_part(left(${column}, 256), '.', 2) AS key_id, count(*)::int AS count
      FROM ${table} WHERE ${column} IS NOT NULL GROUP BY 1 ORDER BY 1`,
  );
}

/** A few of the secrets of a key. */
export function sampleOfKey(
  client: SqlClient,
  sealed: SealedColumn,
  { keyId, limit }: { keyId: string; limit: number },
): Promise<z.infer<typeof sampleRow>[]> {
  const [table, column] = [raw(sealed.table), raw(sealed.column)];
  return queryRows(
    client,
    sampleRow,
    sql`SELECT ${keyOf(sealed)} AS key, substring(left(${column}, 256) FROM ${HEAD_PATTERN}::text) AS head
      FROM ${table} WHERE starts_with(${column}, ${`v1.${keyId}.`}) LIMIT ${limit}`,
  );
}
