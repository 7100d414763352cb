import type { ParleyError } from './parley-error.ts';

const MIN_DELAY_MS = 250;
const MAX_DELAY_MS = 8_000;

/** Whether a retry may succeed. A 500 is permanent. */
export function isRetryable({ code, status }: ParleyError, repeatable: boolean): boolean {
  // Rejected before anything was done.
  if (code === 'RATE_LIMITED' || code === 'IDEMPOTENCY_IN_PROGRESS') return true;
  if (!repeatable) return false;
  return code === 'NO_CONNECTION' || code === 'TIMEOUT' || [502, 503, 504].includes(status);
}

/** `Retry-After` with jitter if there is one, otherwise exponential backoff with jitter. */
export function retryDelayMs(retry: number, retryAfterMs: number | undefined, random = Math.random): number {
  const backoffMs = Math.min(MAX_DELAY_MS, MIN_DELAY_MS * 2 ** (retry - 1));
  if (retryAfterMs !== undefined) return retryAfterMs + random() * MIN_DELAY_MS;
  return backoffMs * (0.5 + random() / 2);
}

/** Resolves after the delay, or as soon as the signal aborts. */
export function sleep(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, delayMs);
    signal?.addEventListener('abort', done);
  });
}
