import type { AnyEndpoint } from '@parley/contracts';
import type { Method, RequestOptions } from './method.ts';
import { type ListBody, requestPages } from './pages.ts';
import { ParleyError } from './parley-error.ts';
import { resources } from './resources.ts';
import { type Connection, send } from './send.ts';

export type ClientOptions = {
  /** Base URL of the platform: `https://parley.example.com`. */
  baseUrl: string;
  /** A private key: `svc_…`. */
  apiKey: string;
  /** Maximum retries; 4 by default. */
  retries?: number;
  /** Timeout of all attempts and delays of a request together; 60,000 by default, 30 minutes for uploads. */
  deadlineMs?: number;
  /** Timeout of one attempt; 30,000 by default. For downloads, until the body begins. */
  attemptMs?: number;
  /** The `fetch` to use; the global one by default. */
  fetch?: typeof fetch;
};

type Resources = typeof resources;

/**
 * Every endpoint of the API that accepts a private key as a method, grouped by resource (except the legacy list of calls). Arguments
 * and results have the types of the contract that the services validate with.
 */
export type Client = {
  readonly [R in keyof Resources]: { readonly [M in keyof Resources[R]]: MethodOf<Resources[R][M]> };
};
type MethodOf<E> = E extends { path: string } ? Method<E> : never;

/** Creates a client of the workspace that the API key belongs to. */
export function createClient({
  baseUrl,
  apiKey,
  retries = 4,
  deadlineMs = 60_000,
  attemptMs = 30_000,
  fetch: customFetch = fetch,
}: ClientOptions): Client {
  const connection: Connection = {
    baseUrl: baseUrl.replace(/\/+$/, ''),
    apiKey,
    retries,
    deadlineMs,
    attemptMs,
    fetch: customFetch,
  };
  const groups = Object.entries(resources).map(([name, methods]) => [
    name,
    Object.fromEntries(
      Object.entries(methods).map(([method, endpoint]) => [method, methodOf(connection, endpoint)]),
    ),
  ]);
  return Object.fromEntries(groups) as Client;
}

function methodOf(connection: Connection, endpoint: AnyEndpoint) {
  const names = endpoint.path.match(/:\w+/g) ?? [];
  const hasInput = endpoint.body !== undefined || endpoint.query !== undefined;
  return (...args: unknown[]): unknown => {
    const ids = args.slice(0, names.length).map(String);
    const rest = args.slice(names.length);
    const input = (hasInput ? (rest.shift() ?? {}) : {}) as Record<string, unknown>;
    const options = (rest[0] ?? {}) as RequestOptions;
    const request = async (sent: Record<string, unknown>): Promise<Response> => {
      const path = names.reduce(
        (made, name, i) => made.replace(name, segmentOf(name, ids[i])),
        endpoint.path,
      );
      return send(connection, {
        endpoint,
        path: endpoint.body === undefined ? path + queryOf(sent) : path,
        body: endpoint.body === undefined ? undefined : sent,
        options,
      });
    };
    if (endpoint.envelope === 'list') {
      return requestPages(endpoint, input, async (sent) => (await readJson(await request(sent))) as ListBody);
    }
    return request(input).then((response) => read(endpoint, response));
  };
}

/** These cannot be escaped in a path: they would change it, and so send a different request. */
const INVALID_SEGMENTS: readonly string[] = ['', '.', '..'];

function segmentOf(name: string, id = ''): string {
  if (INVALID_SEGMENTS.includes(id))
    throw new TypeError(`${name.slice(1)} must not be ${JSON.stringify(id)}`);
  return encodeURIComponent(id);
}

async function read({ envelope, response: schema }: AnyEndpoint, response: Response): Promise<unknown> {
  if (envelope === 'none') return response.body?.cancel();
  if (!schema) return response;
  const body = (await readJson(response)) as { data?: unknown };
  return envelope === 'bare' ? body : body.data;
}

/** A 2xx response that is not a JSON object comes from an intermediary, such as the error page of a proxy. */
async function readJson(response: Response): Promise<unknown> {
  const body: unknown = await response.json().catch(() => undefined);
  if (typeof body === 'object' && body !== null) return body;
  const message = `The response with status ${response.status} is not from the API`;
  throw new ParleyError('UNEXPECTED_RESPONSE', message, { status: response.status });
}

function queryOf(input: Record<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input))
    if (value !== undefined && value !== null) query.append(name, String(value));
  return query.size > 0 ? `?${query}` : '';
}
