import { describe, expect, it } from '@jest/globals';
import { type FoundRow, readInSteps, STEP_BYTES } from './read-in-steps.ts';

type Row = { id: string };

async function walk(
  found: FoundRow<Row>[],
  missing: string[] = [],
): Promise<{ ids: string[]; reads: string[][] }> {
  const reads: string[][] = [];
  const ids: string[] = [];
  const rows = readInSteps(found, async (wanted) => {
    reads.push(wanted);
    // In any order, as a database gives them.
    return wanted
      .filter((id) => !missing.includes(id))
      .map((id) => ({ id }))
      .reverse();
  });
  for await (const { id } of rows) ids.push(id);
  return { ids, reads };
}

const sized = (id: string, bytes: number): FoundRow<Row> => ({ id, bytes, row: undefined });
const read = (id: string): FoundRow<Row> => ({ id, bytes: 1, row: { id } });

describe('readInSteps', () => {
  it('stops when the page has been read completely', async () => {
    expect(await walk([read('a'), read('b')])).toEqual({ ids: ['a', 'b'], reads: [] });
    expect(await walk([])).toEqual({ ids: [], reads: [] });
  });

  it('reads rows in order, as many as fit a step, and a larger one alone', async () => {
    const half = STEP_BYTES / 2;
    const found = [
      read('a'),
      sized('b', half),
      sized('c', half),
      sized('d', 9 * half),
      sized('e', 1),
      read('f'),
      sized('g', 1),
    ];
    expect(await walk(found)).toEqual({
      ids: ['a', 'b', 'c', 'd', 'e', 'f', 'g'],
      reads: [['b', 'c'], ['d'], ['e'], ['g']],
    });
  });

  it('omits rows that were deleted meanwhile', async () => {
    const found = [sized('a', 1), sized('b', 1), sized('c', 1)];
    expect((await walk(found, ['b'])).ids).toEqual(['a', 'c']);
  });
});
