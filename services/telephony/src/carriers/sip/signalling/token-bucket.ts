import { monotonicMs } from '@parley/kit/time';
import { LRUCache } from 'lru-cache';

/** `burst` at once, `perSecond` in the long run. */
type Rate = { perSecond: number; burst: number };

export type TokenBucket = {
  /** False: the rate is exceeded. */
  take(): boolean;
};

export function createTokenBucket(
  { perSecond, burst }: Rate,
  nowMs: () => number = monotonicMs,
): TokenBucket {
  let left = burst;
  let atMs = nowMs();
  return {
    take() {
      left = Math.min(burst, left + ((nowMs() - atMs) * perSecond) / 1_000);
      atMs = nowMs();
      if (left < 1) return false;
      left -= 1;
      return true;
    },
  };
}

/** A bucket for each key. Beyond `maxKeys` the least recently used ones are forgotten, and start full again. */
export function createTokenBuckets(
  { maxKeys, ...rate }: Rate & { maxKeys: number },
  nowMs: () => number = monotonicMs,
): { take(key: string): boolean } {
  const buckets = new LRUCache<string, TokenBucket>({ max: maxKeys });
  return {
    take(key) {
      const bucket = buckets.get(key) ?? createTokenBucket(rate, nowMs);
      buckets.set(key, bucket);
      return bucket.take();
    },
  };
}
