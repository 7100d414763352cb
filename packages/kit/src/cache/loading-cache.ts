import { LRUCache } from 'lru-cache';
import { monotonicMs } from '../time/index.ts';

type Cached<V> = { value: V; ageMs: number };

export type LoadingCacheOptions<K, V> = {
  /** Loads a value, given the previous one. `null` (no such value) is cached as well; errors are not. */
  load(key: K, previous: Cached<V> | undefined): Promise<V>;
  /** Beyond it the least recently used entry is evicted. */
  maxEntries: number;
  /** The maximum number of `null` entries, which have a cache of their own so that misses evict no values. */
  maxMisses?: number;
  /** Real milliseconds for which an entry is used. */
  ttlMs: number;
  /** From this age an entry is served and reloaded in the background, so that no caller waits for a busy key; not for `null`. */
  refreshAfterMs?: number;
  /**
   * The maximum age of an entry that is served when loading fails, for another `ttlMs` each time; 0 by default: `get` rejects. `null`
   * entries are never served stale.
   */
  staleOnErrorMs?: number;
  nowMs?: () => number;
};

export type LoadingCache<K, V> = {
  /**
   * The cached value, or else a loaded one; callers of the same key share one load. A value that `isCurrent` rejects is reloaded once,
   * and the reloaded value is returned without another check.
   */
  get(key: K, isCurrent?: (value: V) => boolean): Promise<V>;
  /** The entry, whatever its age, without loading. */
  peek(key: K): Cached<V> | undefined;
  /** Makes the next `get` load; the result of a load in progress is not cached. */
  delete(key: K): void;
};

type Entry<V> = { value: V; promise: Promise<V>; loadedAtMs: number; usableUntilMs: number };

/** A bounded cache in memory of values that are loaded: coalesced, refreshed ahead of their expiry, and stale on error. */
export function createLoadingCache<K extends {}, V>(options: LoadingCacheOptions<K, V>): LoadingCache<K, V> {
  const { load, ttlMs, nowMs = monotonicMs } = options;
  const { refreshAfterMs = Number.POSITIVE_INFINITY, staleOnErrorMs = 0 } = options;
  const found = new LRUCache<K, Entry<V>>({ max: options.maxEntries });
  const missed = options.maxMisses ? new LRUCache<K, Entry<V>>({ max: options.maxMisses }) : found;
  const loads = new Map<K, Promise<V>>();

  const entryOf = (key: K): Entry<V> | undefined => found.get(key) ?? missed.get(key);
  const ageOf = ({ loadedAtMs }: Entry<V>): number => nowMs() - loadedAtMs;
  const remove = (key: K): void => {
    found.delete(key);
    missed.delete(key);
  };

  const keep = (key: K, value: V, startedAtMs: number): void => {
    remove(key);
    const entry = {
      value,
      promise: Promise.resolve(value),
      loadedAtMs: startedAtMs,
      usableUntilMs: startedAtMs + ttlMs,
    };
    (value === null ? missed : found).set(key, entry);
  };

  const reload = async (key: K, isLatest: () => boolean): Promise<V> => {
    const previous = entryOf(key);
    const startedAtMs = nowMs();
    try {
      const value = await load(key, previous && { value: previous.value, ageMs: ageOf(previous) });
      if (isLatest()) keep(key, value, startedAtMs);
      return value;
    } catch (err) {
      if (!previous || previous.value === null || ageOf(previous) >= staleOnErrorMs) throw err;
      previous.usableUntilMs = nowMs() + ttlMs;
      return previous.value;
    }
  };

  const loadShared = (key: K): Promise<V> => {
    const running = loads.get(key);
    if (running) return running;
    const isLatest = (): boolean => loads.get(key) === started;
    const started: Promise<V> = reload(key, isLatest).finally(() => {
      if (isLatest()) loads.delete(key);
    });
    loads.set(key, started);
    return started;
  };

  const getAny = (key: K): Promise<V> => {
    const entry = entryOf(key);
    if (!entry || nowMs() >= entry.usableUntilMs) return loadShared(key);
    // The entry is served until a refresh succeeds.
    if (entry.value !== null && ageOf(entry) >= refreshAfterMs) loadShared(key).catch(() => {});
    return entry.promise;
  };

  const getCurrent = async (key: K, isCurrent: (value: V) => boolean): Promise<V> => {
    const entry = entryOf(key);
    const earlier = loads.get(key);
    const isOwnLoad = !earlier && (!entry || nowMs() >= entry.usableUntilMs);
    const value = await getAny(key);
    if (isOwnLoad || isCurrent(value)) return value;
    // A load that began before this call may also return an older value.
    if (loads.get(key) === earlier) loads.delete(key);
    return loadShared(key);
  };

  return {
    get: (key, isCurrent) => (isCurrent ? getCurrent(key, isCurrent) : getAny(key)),
    peek: (key) => {
      const entry = found.peek(key) ?? missed.peek(key);
      return entry && { value: entry.value, ageMs: ageOf(entry) };
    },
    delete: (key) => {
      remove(key);
      loads.delete(key);
    },
  };
}
