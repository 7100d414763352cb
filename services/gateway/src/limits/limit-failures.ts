import { createCache } from '@parley/kit/cache';
import { AppError } from '@parley/kit/errors';
import { networkOf } from '@parley/kit/outbound';
import { monotonicMs } from '@parley/kit/time';
import type { Limiter } from './bucket.ts';
import { limitBy } from './limit-anonymous.ts';
import { rateLimited } from './request-limits.ts';
import { delaying } from './slow-refusals.ts';

/** Failed authentications by client address. */
export type FailureLimit = {
  /** Counts a failure. Throws `RATE_LIMITED` above the limit, after `beforeDelay` if that is delayed (ADR 54). */
  count(address: string, beforeDelay: () => void): Promise<void>;
  /**
   * Throws `RATE_LIMITED` for an address above the limit until its Retry-After has passed: its credentials are not
   * looked up. Callers with cached credentials are not affected.
   */
  requireFew(address: string): void;
};

const MAX_ADDRESSES = 10_000;

export function createFailureLimit(
  limiter: Limiter,
  perAddressAndMinute: number,
  nowMs: () => number = monotonicMs,
): FailureLimit {
  const rejectedUntilMs = createCache<string, number>({ maxEntries: MAX_ADDRESSES });
  return {
    count: async (address, beforeDelay) => {
      const from = networkOf(address);
      try {
        await limitBy(delaying(limiter, beforeDelay), { kind: 'failures', of: from }, perAddressAndMinute);
      } catch (err) {
        if (err instanceof AppError && err.retryAfterSeconds)
          rejectedUntilMs.set(from, nowMs() + err.retryAfterSeconds * 1_000);
        throw err;
      }
    },
    requireFew: (address) => {
      const from = networkOf(address);
      const leftMs = (rejectedUntilMs.get(from) ?? 0) - nowMs();
      if (leftMs > 0) throw rateLimited({ retryAfterMs: leftMs });
      rejectedUntilMs.delete(from);
    },
  };
}
