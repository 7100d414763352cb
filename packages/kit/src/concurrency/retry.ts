import { realSleep } from '../time/index.ts';
import { backoffMs } from './backoff.ts';

export type RetryOptions = {
  /** Attempts in total; unlimited by default, which needs a `signal`, or an `isRetryable` that ends it. */
  attempts?: number;
  /** Ends the retries: the promise rejects with its reason. */
  signal?: AbortSignal;
  /** Whether another attempt may succeed after this error, the `failures`-th in a row; by default always. */
  isRetryable?: (err: unknown, failures: number) => boolean;
  /** Called before each delay, for the log. */
  onFailure?: (err: unknown, failures: number) => void;
  /** Real milliseconds before the next attempt; `backoffMs` by default. */
  delayMs?: (failures: number) => number;
};

/**
 * Runs `attempt` until it succeeds, with jittered exponential backoff; rejects with the last error. Unlike p-retry it keeps the
 * jitter at the longest delay and treats a TypeError as any other error.
 */
export async function retry<T>(attempt: () => Promise<T>, options: RetryOptions = {}): Promise<T> {
  const {
    attempts = Number.POSITIVE_INFINITY,
    signal,
    isRetryable,
    onFailure,
    delayMs = backoffMs,
  } = options;
  for (let failures = 1; ; failures += 1) {
    signal?.throwIfAborted();
    try {
      return await attempt();
    } catch (err) {
      if (failures >= attempts || isRetryable?.(err, failures) === false) throw err;
      onFailure?.(err, failures);
      await realSleep(delayMs(failures), signal);
    }
  }
}
