import { describe, expect, it } from '@jest/globals';
import { createCache } from './cache.ts';

describe('createCache', () => {
  it('evicts entries after their time, and the least recently used beyond its size', () => {
    let now = 0;
    const cache = createCache<string, number>({ maxEntries: 2, ttlMs: 100, nowMs: () => now });
    cache.set('a', 1);
    now += 60;
    cache.set('b', 2);
    expect(cache.get('a')).toBe(1);
    cache.set('c', 3);
    expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([1, undefined, 3]);
    now += 50;
    expect([cache.get('a'), cache.get('c')]).toEqual([undefined, 3]);
    cache.delete('c');
    expect(cache.get('c')).toBeUndefined();
  });

  it('never exceeds its size, and stores no larger entry', () => {
    const cache = createCache<string, string>({ maxEntries: 9, maxSize: 10, sizeOf: (text) => text.length });
    cache.set('a', 'xxxx');
    cache.set('b', 'xxxx');
    cache.set('empty', '');
    expect([cache.get('a'), cache.get('empty')]).toEqual(['xxxx', '']);
    cache.set('c', 'xxxxx');
    expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual(['xxxx', undefined, 'xxxxx']);
    expect(cache.getOrSet('large', () => 'x'.repeat(11))).toHaveLength(11);
    expect(cache.get('large')).toBeUndefined();
  });

  it('creates missing values, and stores no errors', () => {
    const cache = createCache<string, number>({ maxEntries: 2 });
    expect(() =>
      cache.getOrSet('a', () => {
        throw new Error('broken');
      }),
    ).toThrow('broken');
    expect([cache.getOrSet('a', () => 1), cache.getOrSet('a', () => 2)]).toEqual([1, 1]);
  });
});
