import { describe, expect, it } from '@jest/globals';
import { monotonicMs } from '../time/index.ts';
import { sampled } from './sampled.ts';

describe('sampled', () => {
  it('runs the query once for callers within two seconds', async () => {
    let asked = 0;
    const read = sampled(async () => {
      asked += 1;
      return asked;
    });
    expect(await Promise.all([read(), read(), read()])).toEqual([1, 1, 1]);
    expect(await read()).toBe(1);
  });

  it('reports unknown when the query fails or hangs', async () => {
    const failing = sampled(async () => {
      throw new Error('the database is away');
    });
    expect(await failing()).toBeUndefined();
    const hanging = sampled(() => new Promise(() => {}));
    const before = monotonicMs();
    expect(await Promise.all([hanging(), hanging()])).toEqual([undefined, undefined]);
    expect(monotonicMs() - before).toBeLessThan(10_000);
  });
});
