import { monotonicMs, realSleep } from '@parley/kit/time';
import type { Limiter } from './bucket.ts';
import { createLocalLimiter } from './local-limiter.ts';

/** Refusals of a bucket that are not delayed: the burst, and the number per second. */
const PROMPT = 20;
const SECOND_MS = 1_000;
/** `Retry-After` is at least a second, so that the delay costs a client that obeys it nothing. It varies, so that clients don't all retry at the same time. */
const [MIN_DELAY_MS, MAX_DELAY_MS] = [500, 1_000];

/** The limiter with delayed refusals. */
export function delaying({ charge, take }: Limiter, beforeDelay: () => void): Limiter {
  return { charge, take: (buckets) => take(buckets, beforeDelay) };
}

type Options = { nowMs?: () => number; sleep?: (ms: number) => Promise<unknown>; random?: () => number };

/**
 * Delays the refusals of clients that do not wait for `Retry-After`: a refusal costs the gateway and Redis nearly as much as a
 * request, and a client that gets it at once sends the next one (ADR 54). Only with a `beforeDelay`; counts are per process.
 */
export function slowRefusals(
  limiter: Limiter,
  { nowMs = monotonicMs, sleep = realSleep, random = Math.random }: Options = {},
): Limiter {
  const prompt = createLocalLimiter(nowMs);
  return {
    charge: limiter.charge,
    take: async (buckets, beforeDelay) => {
      const verdict = await limiter.take(buckets);
      const [first] = buckets;
      if (verdict.allowed || !first || !beforeDelay) return verdict;
      const refusals = { key: first.key, intervalMs: SECOND_MS / PROMPT, burst: PROMPT };
      if ((await prompt.take([refusals])).allowed) return verdict;
      const delayMs = MIN_DELAY_MS + random() * (MAX_DELAY_MS - MIN_DELAY_MS);
      beforeDelay();
      await sleep(delayMs);
      return { ...verdict, retryAfterMs: Math.max(0, verdict.retryAfterMs - delayMs) };
    },
  };
}
