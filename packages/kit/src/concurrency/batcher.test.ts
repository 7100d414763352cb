import { promisify } from 'node:util';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { realSleep } from '../time/index.ts';
import { createBatcher } from './batcher.ts';

/** Never faked. */
const nextTurn = promisify(setImmediate);
const advance = async (ms: number): Promise<void> => {
  for (let n = 0; n < ms; n += 5) {
    jest.advanceTimersByTime(5);
    await nextTurn();
  }
};

const outage = () => Object.assign(new Error('down'), { code: 'ECONNREFUSED' });

describe('createBatcher', () => {
  afterEach(() => void jest.useRealTimers());

  it('writes together what arrives during a write, in order', async () => {
    const batches: number[][] = [];
    const put = createBatcher(async (items: number[]) => {
      batches.push(items);
      await realSleep(5);
      return items.map((item) => item * 10);
    });
    const first = [put(1), put(2)];
    await realSleep(1);
    const later = [put(3), put(4), put(5)];
    expect(await Promise.all([...first, ...later])).toEqual([10, 20, 30, 40, 50]);
    expect(batches).toEqual([
      [1, 2],
      [3, 4, 5],
    ]);
    expect(await put(6)).toBe(60);
  });

  it('limits the items of a batch', async () => {
    const sizes: number[] = [];
    const put = createBatcher(
      async (items: number[]) => {
        sizes.push(items.length);
        return items;
      },
      { maxItems: 2 },
    );
    await Promise.all([1, 2, 3, 4, 5].map(put));
    expect(sizes).toEqual([2, 2, 1]);
  });

  it('writes each item alone when a batch is rejected, so that an invalid one affects no other', async () => {
    const put = createBatcher(async (items: number[]) => {
      if (items.includes(2)) throw new Error('two');
      return items;
    });
    const results = await Promise.allSettled([put(1), put(2), put(3)]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('rejects a whole batch during an outage, or waits for its end', async () => {
    let failures = 0;
    const write = async (items: number[]) => {
      failures += 1;
      if (failures <= 2) throw outage();
      return items;
    };
    const results = await Promise.allSettled([1, 2].map(createBatcher(write)));
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(failures).toBe(1);
    expect(await Promise.all([1, 2].map(createBatcher(write, { outageTimeoutMs: 10_000 })))).toEqual([1, 2]);
  });

  it('rejects an item after the timeout of an outage', async () => {
    let failures = 0;
    const put = createBatcher<number, number>(
      async () => {
        failures += 1;
        throw outage();
      },
      { outageTimeoutMs: 1 },
    );
    await expect(put(1)).rejects.toThrow('down');
    expect(failures).toBe(2);
  });

  it('rejects what has waited too long for the writes before, and writes what came later', async () => {
    jest.useFakeTimers();
    const batches: number[][] = [];
    const put = createBatcher(
      async (items: number[]) => {
        batches.push(items);
        await realSleep(60);
        if (items.length > 1) throw new Error('too slow');
        return items;
      },
      { maxItems: 2, maxWaitMs: 30 },
    );
    const early = [put(1), put(2), put(3)];
    await advance(45);
    const results = Promise.allSettled([...early, put(4)]);
    await advance(1_000);
    const isUnavailable = { status: 'rejected', reason: { code: 'SERVICE_UNAVAILABLE' } };
    expect(await results).toMatchObject([isUnavailable, isUnavailable, isUnavailable, { value: 4 }]);
    expect(batches).toEqual([[1, 2], [4]]);
  });
});
