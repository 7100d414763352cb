import { describe, expect, it } from '@jest/globals';
import { createJobPool } from './job-pool.ts';

const { signal } = new AbortController();
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A pool over a list of jobs, each of which ends when the test says so. */
function setUp(jobs: string[], concurrency: number) {
  const ends = new Map<string, () => void>();
  const claims: number[] = [];
  let wakes = 0;
  const pool = createJobPool<string>({
    concurrency,
    claim: async (max) => {
      claims.push(max);
      return jobs.splice(0, max);
    },
    work: (job) => new Promise((resolve) => ends.set(job, resolve)),
    onSlotFree: () => {
      wakes += 1;
    },
  });
  return {
    pool,
    claims,
    end: (job: string) => ends.get(job)?.(),
    begun: () => [...ends.keys()],
    wakes: () => wakes,
  };
}

describe('createJobPool', () => {
  it('starts as many jobs as there are free slots and returns whether there may be more', async () => {
    const { pool, begun, claims, end } = setUp(['a', 'b', 'c'], 2);
    expect(await pool.fill(signal)).toBe(true);
    expect(await pool.fill(signal)).toBe(false);
    expect(begun()).toEqual(['a', 'b']);
    end('b');
    await settled();
    expect(await pool.fill(signal)).toBe(true);
    expect([begun(), claims]).toEqual([
      ['a', 'b', 'c'],
      [2, 1],
    ]);
  });

  it('reports a free slot after it was full', async () => {
    const { pool, end, wakes } = setUp(['a'], 1);
    await pool.fill(signal);
    await pool.fill(signal);
    expect(wakes()).toBe(0);
    end('a');
    await settled();
    expect(wakes()).toBe(1);
  });

  it('reports free slots as long as claims return something, also fewer jobs than there are slots', async () => {
    const { pool, end, wakes } = setUp(['a', 'b'], 5);
    expect(await pool.fill(signal)).toBe(false);
    end('a');
    await settled();
    expect(wakes()).toBe(1);
    expect(await pool.fill(signal)).toBe(false);
    end('b');
    await settled();
    expect(wakes()).toBe(1);
  });

  it('is drained when all jobs have ended', async () => {
    const { pool, end } = setUp(['a', 'b'], 5);
    await pool.fill(signal);
    let isDrained = false;
    const drained = pool.drained().then(() => {
      isDrained = true;
    });
    end('a');
    await settled();
    expect(isDrained).toBe(false);
    end('b');
    await drained;
  });
});
