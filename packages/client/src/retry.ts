import type { AnyEndpoint } from '@parley/contracts';
import type { ParleyError } from './parley-error.ts';
import { REPEATABLE_POSTS } from './resources.ts';

const MIN_DELAY_MS = 250;
const MAX_DELAY_MS = 8_000;

/** Whether asking twice does no more than asking once. A creating POST carries an `Idempotency-Key`. */
export function isRepeatable({ id, method, idempotent, envelope }: AnyEndpoint): boolean {
  return method !== 'POST' || idempotent === true || envelope === 'list' || REPEATABLE_POSTS.has(id);
}

/** Whether the same request may fare better in a moment. `500` is not among them: it says of itself that it stays so. */
export function isRetryable({ code, status }: ParleyError, repeatable: boolean): boolean {
  // These were refused before anything was done.
  if (code === 'RATE_LIMITED' || code === 'IDEMPOTENCY_IN_PROGRESS') return true;
  if (!repeatable) return false;
  return code === 'NO_CONNECTION' || code === 'TIMEOUT' || [502, 503, 504].includes(status);
}

/** What was asked for, with a little on top so that all who wait don't come at once; else longer each time, by lot. */
export function retryDelayMs(retry: number, retryAfterMs: number | undefined, random = Math.random): number {
  const backoffMs = Math.min(MAX_DELAY_MS, MIN_DELAY_MS * 2 ** (retry - 1));
  if (retryAfterMs !== undefined) return retryAfterMs + random() * MIN_DELAY_MS;
  return backoffMs * (0.5 + random() / 2);
}
