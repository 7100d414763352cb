import type { AnyEndpoint } from '@parley/contracts';
import type { ParleyError } from './parley-error.ts';
import { REPEATABLE_POSTS } from './resources.ts';

const MIN_DELAY_MS = 250;
const MAX_DELAY_MS = 8_000;

/** Whether the request can be repeated without a second effect. A POST that creates something has an `Idempotency-Key`. */
export function isRepeatable({ id, method, idempotent, envelope }: AnyEndpoint): boolean {
  return method !== 'POST' || idempotent === true || envelope === 'list' || REPEATABLE_POSTS.has(id);
}

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
