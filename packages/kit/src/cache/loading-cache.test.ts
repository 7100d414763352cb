import { describe, expect, it } from '@jest/globals';
import { createLoadingCache, type LoadingCacheOptions } from './loading-cache.ts';

/** A cache over `state.value`, whose clock and failures the test sets; `state.loads` lists what was loaded. */
function setUp(options: Partial<LoadingCacheOptions<string, string | null>> = {}) {
  const state = {
    now: 1,
    value: 'v1' as string | null,
    error: undefined as Error | undefined,
    loads: [] as string[],
  };
  const cache = createLoadingCache<string, string | null>({
    maxEntries: 2,
    ttlMs: 100,
    nowMs: () => state.now,
    load: async (key) => {
      state.loads.push(key);
      const { value, error } = state;
      await new Promise((resolve) => setImmediate(resolve));
      if (error) throw error;
      return value;
    },
    ...options,
  });
  return { cache, state };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

describe('createLoadingCache', () => {
  it('loads a key once for concurrent callers and for as long as it is fresh', async () => {
    const { cache, state } = setUp();
    expect(await Promise.all([cache.get('a'), cache.get('a')])).toEqual(['v1', 'v1']);
    state.now += 99;
    await cache.get('a');
    expect(state.loads).toEqual(['a']);
    state.now += 1;
    state.value = 'v2';
    expect(await cache.get('a')).toBe('v2');
  });

  it('stores no errors: the next call loads again', async () => {
    const { cache, state } = setUp();
    state.error = new Error('down');
    await expect(cache.get('a')).rejects.toThrow('down');
    state.error = undefined;
    expect(await cache.get('a')).toBe('v1');
  });

  it('evicts the least recently used entry, and limits misses separately if configured', async () => {
    const { cache, state } = setUp({ maxMisses: 1 });
    for (const key of ['a', 'b', 'a', 'c']) await cache.get(key);
    state.value = null;
    for (const key of ['x', 'y']) expect(await cache.get(key)).toBeNull();
    await cache.get('y');
    expect(state.loads).toEqual(['a', 'b', 'c', 'x', 'y']);
    expect(['a', 'b', 'c', 'x', 'y'].map((key) => cache.peek(key)?.value)).toEqual([
      'v1',
      undefined,
      'v1',
      undefined,
      null,
    ]);
  });

  it('refreshes a frequently used entry in the background, but no miss', async () => {
    const { cache, state } = setUp({ refreshAfterMs: 50 });
    await cache.get('a');
    state.now += 50;
    state.error = new Error('down');
    expect(await cache.get('a')).toBe('v1');
    await settled();
    state.error = undefined;
    state.value = 'v2';
    expect(await Promise.all([cache.get('a'), cache.get('a')])).toEqual(['v1', 'v1']);
    await settled();
    expect(await cache.get('a')).toBe('v2');
    expect(state.loads).toHaveLength(3);
    state.value = null;
    await cache.get('none');
    state.now += 50;
    await cache.get('none');
    expect(state.loads).toHaveLength(4);
  });

  it('serves a stale value while loading fails, without loading at every call', async () => {
    const { cache, state } = setUp({ staleOnErrorMs: 1_000 });
    await cache.get('a');
    state.error = new Error('down');
    state.now += 500;
    expect([await cache.get('a'), await cache.get('a')]).toEqual(['v1', 'v1']);
    expect(state.loads).toHaveLength(2);
    expect(cache.peek('a')).toEqual({ value: 'v1', ageMs: 500 });
    state.now += 500;
    await expect(cache.get('a')).rejects.toThrow('down');
  });

  it('reloads a value that its caller rejects, once for all callers that reject it', async () => {
    const { cache, state } = setUp();
    await cache.get('a');
    state.value = 'v2';
    const isCurrent = (value: string | null) => value === 'v2';
    expect(await Promise.all([cache.get('a', isCurrent), cache.get('a', isCurrent)])).toEqual(['v2', 'v2']);
    expect(await cache.get('a', () => false)).toBe('v2');
    expect(state.loads).toHaveLength(3);
    const first = cache.get('b', () => false);
    state.value = 'v3';
    expect([await first, await cache.get('b', (value) => value === 'v3')]).toEqual(['v2', 'v3']);
  });

  it('joins no load that began before the call, if its value is rejected', async () => {
    const { cache, state } = setUp();
    const first = cache.get('a');
    state.value = 'v2';
    expect(await cache.get('a', (value) => value === 'v2')).toBe('v2');
    expect(await first).toBe('v1');
  });

  it('passes the previous value to the loader, whatever its age', async () => {
    const previous: unknown[] = [];
    const { cache, state } = setUp({
      ttlMs: 0,
      load: async (_, last) => {
        previous.push(last);
        return 'v1';
      },
    });
    await cache.get('a');
    state.now += 10;
    await cache.get('a');
    expect(previous).toEqual([undefined, { value: 'v1', ageMs: 10 }]);
  });

  it('removes a deleted entry, and discards the result of a running load', async () => {
    const { cache, state } = setUp();
    const running = cache.get('a');
    cache.delete('a');
    state.value = 'v2';
    expect(await cache.get('a')).toBe('v2');
    expect(await running).toBe('v1');
    expect(cache.peek('a')?.value).toBe('v2');
  });
});
