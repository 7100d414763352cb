import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AnyEndpoint, BodyInputOf, ParamsOf, QueryInputOf, ResponseOf } from '@parley/contracts';
import { z } from 'zod';
import { Problem } from '../terminal/problem.ts';

type Input<E extends AnyEndpoint> = (E extends { params: unknown } ? { params: ParamsOf<E> } : unknown) &
  (E extends { body: 'stream' }
    ? { body: object }
    : E extends { body: unknown }
      ? { body: BodyInputOf<E> }
      : unknown) & {
    query?: QueryInputOf<E>;
  };

type Answer<E extends AnyEndpoint> = E['envelope'] extends 'list' ? ResponseOf<E>[] : ResponseOf<E>;

/** A client of the public API, typed by the contract. */
export type Api = {
  /**
   * Asks and gives `data`. A platform that is away for a moment, or says that it is too much, is asked again for a
   * minute; creations carry an idempotency key, so that this makes nothing twice. Throws `ApiProblem`. spec: D1.6, D1.7
   */
  send<E extends AnyEndpoint>(endpoint: E, input: Input<E>, signal?: AbortSignal): Promise<Answer<E>>;
};

/** The platform's own refusal, told as a sentence. */
export class ApiProblem extends Problem {
  readonly code: string;
  constructor(message: string, code: string) {
    super(message);
    this.name = 'ApiProblem';
    this.code = code;
  }
}

const ANSWERS_WITHIN_MS = 15_000;
const PATIENCE_MS = 60_000;
const PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5_000;
const WORTH_ANOTHER_TRY: ReadonlySet<string> = new Set([
  'RATE_LIMITED',
  'CONCURRENCY_LIMIT',
  'SERVICE_UNAVAILABLE',
  'IDEMPOTENCY_IN_PROGRESS',
]);

const errorEnvelope = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

export function createApi(baseUrl: string, key: string, stopping: AbortSignal): Api {
  const send: Api['send'] = async (endpoint, input, signal = stopping) => {
    const request = toRequest(endpoint, input, key);
    const what = `${endpoint.method} ${request.path}`;
    const until = performance.now() + PATIENCE_MS;
    for (;;) {
      const answer = await ask(`${baseUrl}${request.path}`, request.init, signal);
      if (answer.ok) return readData(endpoint, answer.body, what);
      const again = answer.code === null || WORTH_ANOTHER_TRY.has(answer.code);
      if (!again || performance.now() > until) {
        throw new ApiProblem(`${what} ${answer.problem}`, answer.code ?? 'UNREACHABLE');
      }
      await sleep(answer.pauseMs, undefined, { signal });
    }
  };
  return { send };
}

type Asked =
  | { ok: true; body: unknown }
  /** `code` is null when no answer came at all. */
  | { ok: false; code: string | null; problem: string; pauseMs: number };

async function ask(url: string, init: RequestInit, signal: AbortSignal): Promise<Asked> {
  try {
    const deadline = AbortSignal.timeout(ANSWERS_WITHIN_MS);
    const response = await fetch(url, { ...init, signal: AbortSignal.any([signal, deadline]) });
    const body: unknown = await response.json();
    if (response.ok) return { ok: true, body };
    const { error } = errorEnvelope.catch({ error: { code: 'ERROR', message: '' } }).parse(body);
    const pauseMs = Math.min(Number(response.headers.get('retry-after') ?? 0) * 1_000, LONGEST_PAUSE_MS);
    const problem = `was answered with ${response.status} ${error.code}: ${error.message}`;
    return { ok: false, code: error.code, problem, pauseMs: pauseMs || PAUSE_MS };
  } catch (error) {
    signal.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    return { ok: false, code: null, problem: `was not answered: ${reason}`, pauseMs: PAUSE_MS };
  }
}

function toRequest(endpoint: AnyEndpoint, input: object, key: string): { path: string; init: RequestInit } {
  const { params = {}, query = {}, body } = input as { params?: object; query?: object; body?: object };
  const values = new Map(Object.entries(params));
  const path = endpoint.path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(String(values.get(name))));
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  );
  const headers = {
    authorization: `Bearer ${key}`,
    ...(body && { 'content-type': 'application/json' }),
    ...(endpoint.idempotent && { 'idempotency-key': randomUUID() }),
  };
  return {
    path: search.size > 0 ? `${path}?${search}` : path,
    init: { method: endpoint.method, headers, ...(body && { body: JSON.stringify(body) }) },
  };
}

function readData<E extends AnyEndpoint>(endpoint: E, body: unknown, what: string): Answer<E> {
  const one = endpoint.response ?? z.unknown();
  const envelope = z.object({ data: endpoint.envelope === 'list' ? z.array(one) : one });
  const read = envelope.safeParse(body);
  if (read.success) return read.data.data as Answer<E>;
  throw new ApiProblem(`${what} was answered with something else: ${z.prettifyError(read.error)}`, 'ERROR');
}
