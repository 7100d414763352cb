import type { RequestOptions } from './method.ts';
import { newId } from './new-id.ts';
import { ParleyError } from './parley-error.ts';
import { readError } from './read-error.ts';
import { isRetryable, retryDelayMs, sleep } from './retry.ts';
import type { Route } from './route.ts';

export type Connection = {
  baseUrl: string;
  /** Headers that authenticate a request of the route. */
  credentials(route: Route): Record<string, string>;
  fetch: typeof fetch;
  retries: number;
  deadlineMs: number;
  attemptMs: number;
};

export type RequestInput = { route: Route; path: string; body: unknown; options: RequestOptions };

/** The duration of uploads depends on the connection. */
const UPLOAD_MS = 30 * 60_000;

/** Sends a request, with retries within the deadline. Rejects with a ParleyError, or the reason of the caller's signal. */
export async function send(connection: Connection, input: RequestInput): Promise<Response> {
  const { route, options } = input;
  const { retries = connection.retries, signal: given } = options;
  const isUpload = route.sends === 'upload';
  const deadlineMs = options.deadlineMs ?? (isUpload ? UPLOAD_MS : connection.deadlineMs);
  const endsAt = performance.now() + deadlineMs;
  const repeatable = route.isRepeatable === true;
  const request = toRequest(connection, input);
  const maxAttemptMs = isUpload ? deadlineMs : Math.max(connection.attemptMs, route.answersWithinMs ?? 0);
  let wasLost = false;
  for (let attempt = 1; ; attempt += 1) {
    given?.throwIfAborted();
    const attemptMs = Math.max(0, Math.min(maxAttemptMs, endsAt - performance.now()));
    const outcome = await attemptOnce(connection, request, attemptMs, given);
    // Not `instanceof Response`: a custom fetch may have a class of its own.
    if (!(outcome instanceof ParleyError)) {
      if (outcome.headers.has('idempotent-replayed')) options.onReplayed?.();
      return outcome;
    }
    // An earlier attempt deleted it, and its response was lost.
    if (wasLost && route.method === 'DELETE' && outcome.status === 404)
      return new Response(null, { status: 204 });
    wasLost ||= outcome.status === 0 || outcome.status >= 500;
    const delayMs = retryDelayMs(attempt, outcome.retryAfterMs);
    if (attempt > retries || !isRetryable(outcome, repeatable) || performance.now() + delayMs > endsAt)
      throw outcome;
    await sleep(delayMs, given);
  }
}

/** `isFile`: the response is a download, which the caller reads as a stream. */
type Request = { url: string; init: RequestInit; isFile: boolean };

function toRequest(
  { baseUrl, credentials }: Connection,
  { route, path, body, options }: RequestInput,
): Request {
  // The same id for every attempt: the platform recognizes repetitions, and its logs show them together.
  const headers: Record<string, string> = {
    ...credentials(route),
    accept: 'application/json',
    'x-request-id': newId(),
    ...(route.isIdempotent ? { 'idempotency-key': options.idempotencyKey ?? newId() } : {}),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const init: RequestInit = { method: route.method, headers, redirect: 'error' };
  if (body !== undefined) init.body = JSON.stringify(body);
  return { url: `${baseUrl}${path}`, init, isFile: route.isFile === true };
}

/**
 * Returns a 2xx response, and throws otherwise. The attempt includes the whole body of JSON, so that an incomplete response is
 * retried; a download has no timeout once it has begun.
 */
async function attemptOnce(
  { fetch }: Connection,
  { url, init, isFile }: Request,
  attemptMs: number,
  given: AbortSignal | undefined,
): Promise<Response | ParleyError> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), Math.ceil(attemptMs));
  try {
    const signal = given ? AbortSignal.any([given, late.signal]) : late.signal;
    const response = await fetch(url, { ...init, signal });
    if (!response.ok) return await readError(response);
    if (isFile) return response;
    const { status, headers } = response;
    return new Response(await response.arrayBuffer(), { status, headers });
  } catch (cause) {
    given?.throwIfAborted();
    return late.signal.aborted
      ? new ParleyError('TIMEOUT', `No response within ${Math.round(attemptMs)} ms`, { cause })
      : new ParleyError('NO_CONNECTION', 'The platform could not be reached', { cause });
  } finally {
    clearTimeout(timer);
  }
}
