import { z } from 'zod';
import { queryRows, type SqlClient, sql } from '../db/index.ts';
import { halved, type PassFacts } from './step.ts';

/** 2 MiB of a table. */
const PAGES = 256;

export type PageWalk = { pages?: number } & Pick<PassFacts, 'halvings'>;

export type PageRange = {
  /** The table, or a partition of it. */
  table: string;
  /** For `ctid >= $::tid AND ctid < $::tid`. */
  from: string;
  to: string;
  /** The cursor of the next batch; null at the end. */
  next: string | null;
};

const partRow = z.object({ name: z.string(), pages: z.number() });

/**
 * The next pages of a table in storage order: a walk over all rows that needs no index and reads each page once. A row that is updated
 * during the walk may move to an earlier page, where the next pass finds it.
 */
export async function nextPages(
  tx: SqlClient,
  table: string,
  cursor: string | null,
  { pages = PAGES, halvings }: PageWalk,
): Promise<PageRange | null> {
  // The partition tree of a table without partitions is empty.
  const parts = await queryRows(
    tx,
    partRow,
    sql`SELECT relid::regclass::text AS name, (pg_relation_size(relid) / current_setting('block_size')::int)::int AS pages
      FROM (
        SELECT relid FROM pg_partition_tree(${table}::text::regclass) WHERE isleaf
        UNION SELECT oid FROM pg_class WHERE oid = ${table}::text::regclass AND relkind = 'r'
      ) AS part ORDER BY relid::regclass::text`,
  );
  const [name = parts[0]?.name, page = '0'] = cursor?.split(' ') ?? [];
  const first = Number(page);
  const part = parts.find((one) => name !== undefined && one.name >= name);
  if (!part) return null;
  const start = part.name === name ? first : 0;
  const end = start + halved(pages, halvings);
  const following = parts[parts.indexOf(part) + 1];
  const next = end < part.pages ? `${part.name} ${end}` : following ? `${following.name} 0` : null;
  return { table: part.name, from: `(${start},0)`, to: `(${end},0)`, next };
}
