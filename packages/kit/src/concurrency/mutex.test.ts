import { describe, expect, it } from '@jest/globals';
import { realSleep } from '../time/index.ts';
import { createKeyedMutex } from './mutex.ts';

const open = () => {
  let release = (): void => {};
  const promise = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { promise, release };
};

const timeoutError = () => new Error('busy');
const patient = { timeoutMs: 10_000, timeoutError };

describe('createKeyedMutex', () => {
  it('runs the work of a key one at a time, in order, and continues after an error', async () => {
    const run = createKeyedMutex(patient);
    const order: number[] = [];
    const results = await Promise.allSettled(
      [1, 2, 3].map((n) =>
        run('a', async () => {
          order.push(n);
          await realSleep(1);
          order.push(-n);
          if (n === 2) throw new Error('two');
          return n;
        }),
      ),
    );
    expect(order).toEqual([1, -1, 2, -2, 3, -3]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('excludes only work of the same key', async () => {
    const run = createKeyedMutex(patient);
    const gate = open();
    const first = run('a', () => gate.promise);
    const second = run('a', async () => 'second');
    expect(await run('b', async () => 'other')).toBe('other');
    gate.release();
    await first;
    expect(await second).toBe('second');
  });

  it('rejects work that waits too long, without affecting its successors', async () => {
    const run = createKeyedMutex({ timeoutMs: 20, timeoutError });
    const gate = open();
    const first = run('a', () => gate.promise);
    await expect(run('a', async () => 'late')).rejects.toThrow('busy');
    const third = run('a', async () => 'third');
    gate.release();
    await first;
    expect(await third).toBe('third');
  });
});
