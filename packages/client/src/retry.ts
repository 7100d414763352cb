import type { AnyEndpoint } from '@parley/contracts';
import type { ParleyError } from './parley-error.ts';
import { HARMLESS_POSTS } from './resources.ts';

const FIRST_MS = 250;
const LONGEST_MS = 8_000;

/** Whether asking twice does no more than asking once. A creating POST carries an `Idempotency-Key`. */
export function isRepeatable({ id, method, idempotent, envelope }: AnyEndpoint): boolean {
  return method !== 'POST' || idempotent === true || envelope === 'list' || HARMLESS_POSTS.has(id);
}

/** Whether the same request may fare better in a moment. `500` is not among them: it says of itself that it stays so. */
export function mayHeal({ code, status }: ParleyError, repeatable: boolean): boolean {
  // These were refused before anything was done.
  if (code === 'RATE_LIMITED' || code === 'IDEMPOTENCY_IN_PROGRESS') return true;
  if (!repeatable) return false;
  return code === 'NO_CONNECTION' || code === 'TIMEOUT' || [502, 503, 504].includes(status);
}

/** What was asked for, with a little on top so that all who wait don't come at once; else longer each time, by lot. */
export function waitBefore(retry: number, retryAfterMs: number | undefined, random = Math.random): number {
  const growing = Math.min(LONGEST_MS, FIRST_MS * 2 ** (retry - 1));
  if (retryAfterMs !== undefined) return retryAfterMs + random() * FIRST_MS;
  return growing * (0.5 + random() / 2);
}
