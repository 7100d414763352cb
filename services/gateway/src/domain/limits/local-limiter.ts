import { monotonicMs } from '@parley/kit/time';
import { setBounded } from '../set-bounded.ts';
import { type Limiter, takeToken, tightest } from './bucket.ts';

const MAX_BUCKETS = 50_000;

/** Limits within this process: what holds while Redis is away (D1.6). */
export function createLocalLimiter(nowMs: () => number = monotonicMs): Limiter {
  const fullAt = new Map<string, number>();
  return {
    take: async (buckets) => {
      const now = nowMs();
      const taken = buckets.map((bucket) => takeToken(bucket, fullAt.get(bucket.key) ?? 0, now));
      const verdict = tightest(taken);
      // A refused request takes nothing, from none of the buckets.
      if (verdict.allowed) {
        for (const [i, { key }] of buckets.entries())
          setBounded(fullAt, key, taken[i]?.fullAtMs ?? 0, MAX_BUCKETS);
      }
      return verdict;
    },
  };
}
