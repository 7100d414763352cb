import { describe, expect, it } from '@jest/globals';
import { realSleep } from '../time/index.ts';
import { forEachLimited } from './for-each-limited.ts';

describe('forEachLimited', () => {
  it('runs a limited number concurrently, all of them despite an error, and rejects with the first', async () => {
    let running = 0;
    let max = 0;
    const done: number[] = [];
    const result = forEachLimited([1, 2, 3, 4, 5], 2, async (n) => {
      running += 1;
      max = Math.max(max, running);
      await realSleep(1);
      running -= 1;
      if (n === 2 || n === 4) throw new Error(`failure of ${n}`);
      done.push(n);
    });
    await expect(result).rejects.toThrow('failure of 2');
    expect([max, done]).toEqual([2, [1, 3, 5]]);
  });
});
