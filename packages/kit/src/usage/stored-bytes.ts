import { z } from 'zod';
import { createLoadingCache } from '../cache/index.ts';
import {
  empty,
  queryRow,
  queryRows,
  raw,
  type SqlClient,
  sql,
  type Transactional,
  transaction,
} from '../db/index.ts';

/** A table whose rows belong to workspaces. Its members are constant SQL, never input. */
export type StoredTable = {
  name: string;
  /** Where a row's workspace is, if it has no `workspace_id`: found once for all rows with the same value of `column`, and for a sample of its values. */
  parent?: { column: string; join: string; workspace: string };
  /** The expression of a row's bytes outside of the database, such as a file; counted instead of the row's own. */
  fileBytes?: string;
};

/** Estimated bytes: in total, and by workspace, largest first. */
export type StoredBytes = { total: number; workspaces: { workspace_id: string; bytes: number }[] };

/** A sample of 4 MiB of each table, so that its cost doesn't grow with the table. */
const SAMPLED_PAGES = 512;
const PAGE_BYTES = 8_192;
/** Each may be on a page of its own. */
const SAMPLED_PARENTS = 2_000;
const FRESH_MS = 60_000;
const MAX_WORKSPACES = 10_000;
const OWN_COLUMN = { column: 'workspace_id', join: '', workspace: 't.workspace_id' };

/**
 * Estimates how much each workspace stores [trust.6] from samples of whole pages: exact for small tables with few parents, within a few
 * percent for workspaces with a large share of a large table. Indexes and TOAST count. Cached for a minute.
 */
export function createStoredBytes(
  client: Transactional<SqlClient>,
  tables: readonly StoredTable[],
): () => Promise<StoredBytes> {
  const cache = createLoadingCache({ load: () => measure(client, tables), maxEntries: 1, ttlMs: FRESH_MS });
  return () => cache.get('all');
}

const sizeRow = z.object({ heap: z.number(), total: z.number() });
const weightRow = z.object({ id: z.string(), weight: z.number().nullable() });

async function measure(
  client: Transactional<SqlClient>,
  tables: readonly StoredTable[],
): Promise<StoredBytes> {
  const byWorkspace = new Map<string, number>();
  // In sequence, so that a measurement uses a single connection.
  for (const table of tables) {
    for (const { id, bytes } of await transaction(client, (tx) => measureTable(tx, table)))
      byWorkspace.set(id, (byWorkspace.get(id) ?? 0) + bytes);
  }
  const all = [...byWorkspace].map(([workspace_id, bytes]) => ({ workspace_id, bytes: Math.round(bytes) }));
  all.sort((a, b) => b.bytes - a.bytes);
  return { total: all.reduce((sum, { bytes }) => sum + bytes, 0), workspaces: all.slice(0, MAX_WORKSPACES) };
}

async function measureTable(tx: SqlClient, table: StoredTable): Promise<{ id: string; bytes: number }[]> {
  const { name, parent, fileBytes } = table;
  const { column, join, workspace } = parent ?? OWN_COLUMN;
  // One lookup per parent, by index. Otherwise the planner, which expects each lookup to read the disk, reads all rows of the joined table,
  // with all cores.
  await tx.$queryRaw(sql`
    SELECT set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
      set_config('max_parallel_workers_per_gather', '0', true), set_config('jit', 'off', true)`);
  // The partition tree of a table without partitions is empty.
  const size = await queryRow(
    tx,
    sizeRow,
    sql`SELECT coalesce(sum(pg_relation_size(relid)), 0)::float8 AS heap,
        coalesce(sum(pg_total_relation_size(relid)), 0)::float8 AS total
      FROM (SELECT ${name}::text::regclass AS relid
        UNION SELECT relid FROM pg_partition_tree(${name}::text::regclass)) parts`,
  );
  const { heap = 0, total = 0 } = size ?? {};
  if (heap === 0) return [];
  const percent = Math.min(100, (100 * SAMPLED_PAGES * PAGE_BYTES) / heap);
  const someParents = parent ? sql`ORDER BY random() LIMIT ${SAMPLED_PARENTS}` : empty;
  const rows = await queryRows(
    tx,
    weightRow,
    sql`SELECT ${raw(workspace)}::text AS id, sum(t.weight)::float8 AS weight
      FROM (
        SELECT t.${raw(column)}, sum(${raw(fileBytes ?? 'pg_column_size(t.*)')}) AS weight
        FROM ${raw(name)} t TABLESAMPLE SYSTEM (${percent}::real) GROUP BY 1 ${someParents}
      ) t ${raw(join)}
      WHERE ${raw(workspace)} IS NOT NULL GROUP BY 1`,
  );
  const sampled = rows.reduce((sum, { weight }) => sum + (weight ?? 0), 0);
  const scale = fileBytes ? 100 / percent : total / (sampled || 1);
  return rows.map(({ id, weight }) => ({ id, bytes: (weight ?? 0) * scale }));
}
