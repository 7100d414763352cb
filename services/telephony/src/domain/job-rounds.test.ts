import { describe, expect, it } from '@jest/globals';
import { createJobRounds } from './job-rounds.ts';

const { signal } = new AbortController();
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Rounds over a list of jobs, each of which is done when the test says so. */
function set(jobs: string[], atOnce: number) {
  const ends = new Map<string, () => void>();
  const asked: number[] = [];
  let wakes = 0;
  const rounds = createJobRounds<string>({
    atOnce,
    claim: async (most) => {
      asked.push(most);
      return jobs.splice(0, most);
    },
    work: (job) => new Promise((resolve) => ends.set(job, resolve)),
    wake: () => {
      wakes += 1;
    },
  });
  return {
    rounds,
    asked,
    end: (job: string) => ends.get(job)?.(),
    begun: () => [...ends.keys()],
    wakes: () => wakes,
  };
}

describe('createJobRounds', () => {
  it('begins as many as there is room for, and says when there may be more', async () => {
    const { rounds, begun, asked, end } = set(['a', 'b', 'c'], 2);
    expect(await rounds.begin(signal)).toBe(true);
    expect(await rounds.begin(signal)).toBe(false);
    expect(begun()).toEqual(['a', 'b']);
    end('b');
    await settled();
    expect(await rounds.begin(signal)).toBe(true);
    expect([begun(), asked]).toEqual([
      ['a', 'b', 'c'],
      [2, 1],
    ]);
  });

  it('wakes once something had to wait and there is room for it', async () => {
    const { rounds, end, wakes } = set(['a'], 1);
    await rounds.begin(signal);
    await rounds.begin(signal);
    expect(wakes()).toBe(0);
    end('a');
    await settled();
    expect(wakes()).toBe(1);
  });

  it('wakes for nothing while nobody waits, and is drained when all is done', async () => {
    const { rounds, end, wakes } = set(['a', 'b'], 5);
    expect(await rounds.begin(signal)).toBe(false);
    let isDrained = false;
    const drained = rounds.drained().then(() => {
      isDrained = true;
    });
    end('a');
    await settled();
    expect([isDrained, wakes()]).toEqual([false, 0]);
    end('b');
    await drained;
    expect(wakes()).toBe(0);
  });
});
