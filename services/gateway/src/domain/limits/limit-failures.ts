import { AppError } from '@parley/kit/errors';
import { monotonicMs } from '@parley/kit/time';
import { setBounded } from '../set-bounded.ts';
import type { Limiter } from './bucket.ts';
import { limitBy, networkOf } from './limit-open.ts';
import { rateLimited } from './request-limits.ts';

/** Keys and cookies that open nothing, by the address that they come from. */
export type FailureLimit = {
  /** Counts a failure. Throws `RATE_LIMITED` where it is one too many. */
  count(address: string): Promise<void>;
  /**
   * Throws `RATE_LIMITED` for an address whose last failure was too many, until the time that it was told to wait has passed:
   * what it guesses is not even looked up. Whoever has shown something good before isn't held up by it.
   */
  requireFew(address: string): void;
};

const MAX_ADDRESSES = 10_000;

export function createFailureLimit(
  limiter: Limiter,
  perAddressAndMinute: number,
  nowMs: () => number = monotonicMs,
): FailureLimit {
  const refusedUntilMs = new Map<string, number>();
  return {
    count: async (address) => {
      const from = networkOf(address);
      try {
        await limitBy(limiter, { kind: 'failures', of: from }, perAddressAndMinute);
      } catch (err) {
        if (err instanceof AppError && err.retryAfterSeconds)
          setBounded(refusedUntilMs, from, nowMs() + err.retryAfterSeconds * 1_000, MAX_ADDRESSES);
        throw err;
      }
    },
    requireFew: (address) => {
      const from = networkOf(address);
      const leftMs = (refusedUntilMs.get(from) ?? 0) - nowMs();
      if (leftMs > 0) throw rateLimited({ retryAfterMs: leftMs });
      refusedUntilMs.delete(from);
    },
  };
}
