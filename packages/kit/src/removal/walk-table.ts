import { z } from 'zod';
import { queryRows, type SqlClient, sql } from '../db/index.ts';
import {
  halved,
  madeFrom,
  type PassFacts,
  type RemovalStep,
  type RemovalTarget,
  type StepResult,
} from './step.ts';

/** 2 MiB of a table: some milliseconds of work. */
const PAGES = 256;
/** Most steps skip almost all rows then. */
const LATER_PAGES = 512;

const LAST_TID = '(4294967295,0)';

type PageRange = {
  /** The walked table. */
  table: string;
  /** The table itself, or a partition of it. */
  part: string;
  /** For `ctid >= $::tid AND ctid < $::tid`. */
  from: string;
  to: string;
};

/** What is removed from some pages of a table. */
export type PageStep = (
  tx: SqlClient,
  target: RemovalTarget & PassFacts,
  pages: PageRange,
) => Promise<{ removed: Record<string, number> } & Pick<StepResult, 'waiting'>>;

const partRow = z.object({ name: z.string(), pages: z.number() });
type Part = z.infer<typeof partRow>;

/**
 * Walks over all rows of a table in storage order: it needs no index, and each page is read once for all steps. Most pages have nothing to
 * remove, and share a transaction. A row that is updated during the walk may move to an earlier page, where the next pass finds it.
 */
export function walkTable(table: string, steps: readonly PageStep[]): RemovalStep {
  const walk: RemovalStep = async (tx, target, cursor, pace) => {
    const size = halved(target.sinceXid === null ? PAGES : LATER_PAGES, target.halvings);
    const parts = await readParts(tx, table);
    for (let at: string | null = cursor; ; ) {
      const found = nextPages(parts, at, size);
      if (!found) return { next: null };
      const { part, from, to, next } = found;
      const removed: Record<string, number> = {};
      let waiting: string | null = null;
      for (const step of steps) {
        const result = await step(tx, target, { table, part, from, to });
        for (const [place, count] of Object.entries(result.removed))
          removed[place] = (removed[place] ?? 0) + count;
        waiting ??= result.waiting ?? null;
      }
      const isEmpty = waiting === null && Object.values(removed).every((count) => count === 0);
      if (!isEmpty || next === null || !pace || pace.isOver()) return { removed, waiting, next };
      await pace.pause();
      at = next;
    }
  };
  return madeFrom({ table, steps }, walk);
}

/** The partitions of a table, or the table itself if it has none. From the catalog: functions for it lock all partitions until the commit. */
const readParts = (tx: SqlClient, table: string): Promise<Part[]> =>
  queryRows(
    tx,
    partRow,
    sql`SELECT oid::regclass::text AS name, (pg_relation_size(oid) / current_setting('block_size')::int)::int AS pages
      FROM pg_class
      WHERE relkind = 'r' AND (oid = ${table}::text::regclass
        OR oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = ${table}::text::regclass))
      ORDER BY oid::regclass::text`,
  );

/** `next` is the cursor of the following pages. */
function nextPages(
  parts: readonly Part[],
  cursor: string | null,
  size: number,
): (Omit<PageRange, 'table'> & { next: string | null }) | null {
  const [name = parts[0]?.name, page = '0'] = cursor?.split(' ') ?? [];
  const part = parts.find((one) => name !== undefined && one.name >= name);
  if (!part) return null;
  const start = part.name === name ? Number(page) : 0;
  const end = start + size;
  const following = parts[parts.indexOf(part) + 1];
  const isLast = end >= part.pages;
  const next = !isLast ? `${part.name} ${end}` : following ? `${following.name} 0` : null;
  // The part may have grown.
  return { part: part.name, from: `(${start},0)`, to: isLast ? LAST_TID : `(${end},0)`, next };
}
