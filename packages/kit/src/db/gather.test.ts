import { describe, expect, it } from '@jest/globals';
import { gather } from './gather.ts';

describe('gather', () => {
  it('takes together what comes while a write is under way, in order', async () => {
    const batches: number[][] = [];
    const put = gather(async (items: number[]) => {
      batches.push(items);
      await new Promise((resolve) => setTimeout(resolve, 5));
      return items.map((item) => item * 10);
    });
    const first = [put(1), put(2)];
    await new Promise((resolve) => setTimeout(resolve, 1));
    const later = [put(3), put(4), put(5)];
    expect(await Promise.all([...first, ...later])).toEqual([10, 20, 30, 40, 50]);
    expect(batches).toEqual([
      [1, 2],
      [3, 4, 5],
    ]);
    expect(await put(6)).toBe(60);
  });

  it('tries each alone when a batch is refused, so that a bad one harms no other', async () => {
    const put = gather(async (items: number[]) => {
      if (items.includes(2)) throw new Error('two');
      return items;
    });
    const results = await Promise.allSettled([put(1), put(2), put(3)]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });
});
