import { LRUCache } from 'lru-cache';
import { monotonicMs } from '../time/index.ts';

export type CacheOptions<V> = {
  /** Beyond it the least recently used entry is evicted. */
  maxEntries: number;
  /** The sum of `sizeOf` of all entries; a larger value is not kept. For values whose size a client determines. */
  maxSize?: number;
  sizeOf?: (value: V) => number;
  /** Real milliseconds that an entry lives; by default until it is evicted. */
  ttlMs?: number;
  nowMs?: () => number;
};

export type Cache<K, V> = {
  get(key: K): V | undefined;
  set(key: K, value: V): void;
  delete(key: K): void;
  /** The entry; if absent, the result of `make`, which is then cached. Errors of `make` are not cached. */
  getOrSet(key: K, make: () => V): V;
};

/** A bounded cache in memory of values that are computed synchronously or that the caller sets. */
export function createCache<K extends {}, V extends {}>({
  maxEntries,
  maxSize,
  sizeOf = () => 1,
  ttlMs = 0,
  nowMs = monotonicMs,
}: CacheOptions<V>): Cache<K, V> {
  const entries = new LRUCache<K, V>({
    max: maxEntries,
    // lru-cache accepts positive sizes only.
    ...(maxSize === undefined ? {} : { maxSize, sizeCalculation: (value) => Math.max(1, sizeOf(value)) }),
    ttl: ttlMs,
    ttlResolution: 0,
    // lru-cache treats a start of 0, which fake timers have, as absent.
    perf: { now: () => nowMs() + 1 },
  });
  return {
    get: (key) => entries.get(key),
    set: (key, value) => void entries.set(key, value),
    delete: (key) => void entries.delete(key),
    getOrSet: (key, make) => {
      const known = entries.get(key);
      if (known !== undefined) return known;
      const value = make();
      entries.set(key, value);
      return value;
    },
  };
}
