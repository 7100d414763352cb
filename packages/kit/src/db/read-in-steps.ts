/** Maximum size of one read: little memory, yet more than most pages need. */
export const STEP_BYTES = 512 * 1024;

/**
 * A row of a page with its maximum size. `row` is set if it was read in the same statement.
 */
export type FoundRow<Row> = { id: string; bytes: number; row: Row | undefined };

/**
 * The rows of a page in order. Those that weren't read with it are read by id on demand, at least one and about `STEP_BYTES` at a time.
 * No connection is held in between, so rows that are deleted meanwhile are left out.
 */
export async function* readInSteps<Row extends { id: string }>(
  found: readonly FoundRow<Row>[],
  read: (ids: string[]) => Promise<Row[]>,
): AsyncGenerator<Row> {
  let next = 0;
  while (next < found.length) {
    const first = found[next];
    if (first?.row) {
      yield first.row;
      next += 1;
      continue;
    }
    const ids = idsOfStep(found, next);
    const rows = new Map((await read(ids)).map((row) => [row.id, row]));
    for (const id of ids) {
      const row = rows.get(id);
      // Frees the memory of rows that were sent.
      rows.delete(id);
      if (row) yield row;
    }
    next += ids.length;
  }
}

function idsOfStep(found: readonly FoundRow<unknown>[], from: number): string[] {
  const ids: string[] = [];
  let bytes = 0;
  for (const row of found.slice(from)) {
    bytes += row.bytes;
    if (row.row || (ids.length > 0 && bytes > STEP_BYTES)) break;
    ids.push(row.id);
  }
  return ids;
}

/** SQL of the running total of bytes in this order: rows up to `STEP_BYTES` are read with their page. */
export const sumInOrder = (bytes: string, order: string): string =>
  `sum(${bytes}) OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING)`;
