import { createCache } from '@parley/kit/cache';
import { monotonicMs } from '@parley/kit/time';
import type { Bucket, Limiter, Verdict } from './bucket.ts';

const MAX_BUCKETS = 10_000;

type Refusal = { bucket: Bucket; verdict: Verdict; atMs: number };

/**
 * Refuses again without calling `limiter` until the tokens that a refused request lacked are available: until then its bucket can only have
 * fewer. For requests with one bucket, as nearly all are.
 */
export function knownRefusals(limiter: Limiter, nowMs: () => number = monotonicMs): Limiter {
  const refusals = createCache<string, Refusal>({ maxEntries: MAX_BUCKETS });
  return {
    charge: limiter.charge,
    take: async (buckets) => {
      const [bucket, more] = buckets;
      if (!bucket || more) return limiter.take(buckets);
      const known = refusals.get(bucket.key);
      const again = known && refuseAgain(known, bucket, nowMs());
      if (again) return again;
      const verdict = await limiter.take(buckets);
      if (!verdict.allowed) refusals.set(bucket.key, { bucket, verdict, atMs: nowMs() });
      return verdict;
    },
  };
}

function refuseAgain(known: Refusal, bucket: Bucket, nowMs: number): Verdict | undefined {
  const { bucket: before, verdict, atMs } = known;
  const { intervalMs, burst } = bucket;
  // An operator may have changed the limits.
  if (before.intervalMs !== intervalMs || before.burst !== burst) return undefined;
  const missing = costOf(bucket) - costOf(before);
  const passedMs = nowMs - atMs;
  const retryAfterMs = verdict.retryAfterMs - passedMs + missing * intervalMs;
  if (missing < 0 || retryAfterMs <= 0) return undefined;
  const remaining = Math.min(burst, verdict.remaining + Math.floor(passedMs / intervalMs));
  return { ...verdict, remaining, resetMs: Math.max(0, verdict.resetMs - passedMs), retryAfterMs };
}

const costOf = ({ cost = 1, burst }: Bucket): number => Math.min(cost, burst);
