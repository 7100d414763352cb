import { createCache } from '@parley/kit/cache';
import { monotonicMs } from '@parley/kit/time';
import { chargeTokens, type Limiter, takeToken, tightest } from './bucket.ts';

const MAX_BUCKETS = 50_000;

/** Used while Redis is unavailable. */
export function createLocalLimiter(nowMs: () => number = monotonicMs): Limiter {
  const fullAt = createCache<string, number>({ maxEntries: MAX_BUCKETS });
  return {
    take: async (buckets) => {
      const now = nowMs();
      const taken = buckets.map((bucket) => takeToken(bucket, fullAt.get(bucket.key) ?? 0, now));
      const verdict = tightest(taken);
      // A rejected request takes from none of the buckets.
      if (verdict.allowed) {
        for (const [i, { key }] of buckets.entries()) fullAt.set(key, taken[i]?.fullAtMs ?? 0);
      }
      return verdict;
    },
    charge: async (buckets) => {
      const now = nowMs();
      for (const bucket of buckets)
        fullAt.set(bucket.key, chargeTokens(bucket, fullAt.get(bucket.key) ?? 0, now));
    },
  };
}
