import type { IncomingResponseMessage } from 'sip.js/lib/core/index.js';

/** Responses to a request within a call that don't concern the call: a server is busy, restarts, or cannot reach the next one. */
const TRANSIENT: ReadonlySet<number> = new Set([477, 478, 491, 500, 502, 503, 504]);
const MAX_RETRY_AFTER_SECONDS = 30;

type Response = Pick<IncomingResponseMessage, 'statusCode' | 'data' | 'hasHeader' | 'getHeader'>;

/** Whether the request may succeed if it is repeated. Responses without bytes are the library's own: the connection broke, or nothing came. */
export function isTransient({ statusCode = 0, data }: Pick<Response, 'statusCode' | 'data'>): boolean {
  return TRANSIENT.has(statusCode) || !data;
}

/** The delay of `Retry-After` after which the request may be repeated; undefined: there is none. */
export function retryAfterMsOf(response: Response): number | undefined {
  const header = response.hasHeader('retry-after') ? response.getHeader('retry-after') : undefined;
  const digits = /^\s*(\d{1,9})/.exec(header ?? '')?.[1];
  if (digits === undefined) return undefined;
  return Math.min(MAX_RETRY_AFTER_SECONDS, Math.max(1, Number(digits))) * 1_000;
}
