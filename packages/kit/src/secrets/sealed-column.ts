import type { Sql } from '../db/index.ts';

/** A column of sealed text. Names are the service's own, never a client's. */
export type SealedColumn = {
  table: string;
  column: string;
  /** The primary key of the table, in its order. */
  key: readonly { name: string; type: 'uuid' | 'integer' }[];
  /** The place of a row's secret (`aad`), by the row's key. */
  place: (...key: string[]) => string;
};

/** Of one row: null where it has no secret, `''` where what stands there is no sealed text. */
export type StoredHead = { key: string[]; head: string | null };
export type NewHead = { key: string[]; from: string; to: string };

type Row = { key: string[]; head: string | null };

/** The next rows by their key, whether they hold a secret or not, so that a page is a bounded piece of the index. */
export async function readHeads(
  sql: Sql,
  { table, column, key }: SealedColumn,
  { after, limit }: { after: readonly string[] | null; limit: number },
): Promise<StoredHead[]> {
  const names = key.map(({ name }) => name).join(', ');
  const bounds = key.map(({ type }, i) => `$${i + 1}::${type}`).join(', ');
  const texts = key.map(({ name }) => `${name}::text`).join(', ');
  return sql.$queryRawUnsafe<Row[]>(
    `SELECT ARRAY[${texts}] AS key, CASE WHEN ${column} IS NOT NULL THEN
       coalesce(substring(left(${column}, 256) FROM '^[^.]*[.][^.]*[.][^.]*'), '') END AS head
     FROM ${table} ${after ? `WHERE (${names}) > (${bounds})` : ''} ORDER BY ${names} LIMIT ${limit}`,
    ...(after ?? []),
  );
}

/**
 * Puts new heads where the old ones still stand, and says how many: a secret that was changed meanwhile keeps its
 * change. Rows that somebody else holds are passed over, so that nobody waits for this and this waits for nobody.
 */
export async function swapHeads(
  sql: Sql,
  { table, column, key }: SealedColumn,
  heads: readonly NewHead[],
): Promise<number> {
  if (heads.length === 0) return 0;
  const columns = key.map((_, i) => `k${i}`);
  const lists = [...key.map(({ type }) => type), 'text', 'text'].map((type, i) => `$${i + 1}::${type}[]`);
  const matching = (other: string): string =>
    key.map(({ name }, i) => `t.${name} = ${other}.${columns[i]}`).join(' AND ');
  return sql.$executeRawUnsafe(
    `WITH given AS (
       SELECT * FROM unnest(${lists.join(', ')}) AS g (${columns.join(', ')}, old, new)
     ), held AS (
       SELECT given.* FROM ${table} t JOIN given ON ${matching('given')}
       WHERE starts_with(t.${column}, given.old || '.') FOR UPDATE OF t SKIP LOCKED
     )
     UPDATE ${table} t SET ${column} = held.new || substr(t.${column}, length(held.old) + 1)
     FROM held WHERE ${matching('held')}`,
    ...key.map((_, i) => heads.map((head) => head.key[i])),
    heads.map(({ from }) => from),
    heads.map(({ to }) => to),
  );
}

/** How many secrets stand under which key. */
export function countByKey(
  sql: Sql,
  { table, column }: SealedColumn,
): Promise<{ key_id: string; count: number }[]> {
  return sql.$queryRawUnsafe(
    `SELECT split_part(left(${column}, 256), '.', 2) AS key_id, count(*)::int AS count
     FROM ${table} WHERE ${column} IS NOT NULL GROUP BY 1 ORDER BY 1`,
  );
}

/** A few of the secrets under a key. */
export function sampleOfKey(
  sql: Sql,
  { table, column, key }: SealedColumn,
  { keyId, limit }: { keyId: string; limit: number },
): Promise<{ key: string[]; head: string }[]> {
  const texts = key.map(({ name }) => `${name}::text`).join(', ');
  return sql.$queryRawUnsafe(
    `SELECT ARRAY[${texts}] AS key, substring(left(${column}, 256) FROM '^[^.]*[.][^.]*[.][^.]*') AS head
     FROM ${table} WHERE starts_with(${column}, $1) LIMIT ${limit}`,
    `v1.${keyId}.`,
  );
}
