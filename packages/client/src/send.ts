import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AnyEndpoint } from '@parley/contracts';
import type { RequestOptions } from './method.ts';
import { ParleyError } from './parley-error.ts';
import { readError } from './read-error.ts';
import { isRepeatable, isRetryable, retryDelayMs } from './retry.ts';

export type Connection = {
  baseUrl: string;
  apiKey: string;
  fetch: typeof fetch;
  retries: number;
  deadlineMs: number;
  attemptMs: number;
};

export type RequestInput = { endpoint: AnyEndpoint; path: string; body: unknown; options: RequestOptions };

/** Uploads take as long as their connection does. */
const UPLOAD_MS = 30 * 60_000;

/** Asks until there is an answer that stays so, within the deadline. Rejects with a ParleyError, or the reason of the caller's signal. */
export async function send(connection: Connection, input: RequestInput): Promise<Response> {
  const { endpoint, options } = input;
  const { retries = connection.retries, signal: given } = options;
  const isUpload = endpoint.body === 'stream';
  const deadlineMs = options.deadlineMs ?? (isUpload ? UPLOAD_MS : connection.deadlineMs);
  const endsAt = performance.now() + deadlineMs;
  const repeatable = isRepeatable(endpoint);
  const request = toRequest(connection, input);
  const maxAttemptMs = isUpload ? deadlineMs : Math.max(connection.attemptMs, endpoint.answersWithinMs ?? 0);
  let wasLost = false;
  for (let attempt = 1; ; attempt += 1) {
    given?.throwIfAborted();
    const attemptMs = Math.max(0, Math.min(maxAttemptMs, endsAt - performance.now()));
    const outcome = await attemptOnce(connection, request, attemptMs, given);
    // Not by `Response`: a fetch that was brought along may have one of its own.
    if (!(outcome instanceof ParleyError)) return outcome;
    // The first of two deletions came through, and its answer was lost.
    if (wasLost && endpoint.method === 'DELETE' && outcome.status === 404)
      return new Response(null, { status: 204 });
    wasLost ||= outcome.status === 0 || outcome.status >= 500;
    const delayMs = retryDelayMs(attempt, outcome.retryAfterMs);
    if (attempt > retries || !isRetryable(outcome, repeatable) || performance.now() + delayMs > endsAt)
      throw outcome;
    // The reason of an abort is the caller's own.
    await sleep(delayMs, undefined, given ? { signal: given } : {}).catch(() => given?.throwIfAborted());
  }
}

/** `isFile`: the answer is no data of the contract, and whoever asked reads it as it comes. */
type Request = { url: string; init: RequestInit; isFile: boolean };

function toRequest(
  { baseUrl, apiKey }: Connection,
  { endpoint, path, body, options }: RequestInput,
): Request {
  // The same for every attempt: the platform recognises a repetition, and its logs show them together.
  const headers: Record<string, string> = {
    authorization: `Bearer ${apiKey}`,
    accept: 'application/json',
    'x-request-id': randomUUID(),
    ...(endpoint.idempotent ? { 'idempotency-key': options.idempotencyKey ?? randomUUID() } : {}),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const init: RequestInit = { method: endpoint.method, headers, redirect: 'error' };
  if (body !== undefined) init.body = JSON.stringify(body);
  return { url: `${baseUrl}${path}`, init, isFile: endpoint.response === undefined };
}

/**
 * A 2xx, whatever else came of it as an error. Data belong to the attempt to their last byte, so that what breaks off is
 * asked for again; a file takes as long as it takes once it has begun.
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
