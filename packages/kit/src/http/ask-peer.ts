import type { Agent } from 'node:http';
import type { AnyEndpoint } from '@parley/contracts';
import got, { type Got, type RequestError } from 'got';
import { errorOf, type PeerResponse } from './peer-answer.ts';

/** A request to a peer, ready to be sent. */
export type Asked = { endpoint: AnyEndpoint; url: string; headers: Record<string, string>; body: unknown };

const CONNECTION_ERRORS = [
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'EAI_AGAIN',
  'ENETUNREACH',
  'ENOTFOUND',
] as const;

/** Nobody has taken the connection: the request hasn't begun. */
const UNSENT = ['ECONNREFUSED', 'EAI_AGAIN', 'ENOTFOUND', 'ENETUNREACH'];

/** Sends requests to one peer. Rejects when it can't be reached or says that it is away; every other answer is a value. */
export function createAsk(
  agent: Agent,
  baseUrl: string,
): (asked: Asked, signal: AbortSignal) => Promise<PeerResponse> {
  const client: Got = got.extend({
    prefixUrl: baseUrl,
    agent: { http: agent },
    throwHttpErrors: false,
    followRedirect: false,
    decompress: false,
    retry: {
      limit: 1,
      methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
      statusCodes: [],
      errorCodes: [...CONNECTION_ERRORS],
      calculateDelay: ({ computedValue, error }) =>
        computedValue > 0 && mayRepeat(error) ? 20 + Math.random() * 80 : 0,
    },
  });
  return async ({ endpoint, url, headers, body }, signal) => {
    const json = body === undefined ? {} : { json: body };
    const {
      statusCode,
      body: text,
      headers: received,
    } = await client(url, {
      method: endpoint.method,
      headers,
      signal,
      ...json,
    });
    const response = { statusCode, body: text, retryAfter: received['retry-after'] };
    if (statusCode < 500) return response;
    // A peer that is away, in its own words or in those of what stands before it, counts like a lost connection.
    const error = errorOf(response, endpoint.service);
    if (error.code === 'SERVICE_UNAVAILABLE') throw error;
    return response;
  };
}

/** Puts parameters into the path and the query behind it; a list repeats its name. */
export function toAsked(endpoint: AnyEndpoint, input: object, headers: Record<string, string>): Asked {
  const { params = {}, query = {}, body } = input as { params?: object; query?: object; body?: unknown };
  const values = new Map(Object.entries(params));
  const path = endpoint.path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(String(values.get(name))));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const item of [value].flat()) if (item !== undefined) search.append(name, String(item));
  }
  const suffix = search.size > 0 ? `?${search}` : '';
  return { endpoint, url: `${path.slice(1)}${suffix}`, headers, body };
}

/** A read, and what never left: another replica may be there when this one is gone. */
function mayRepeat({ code, options }: RequestError): boolean {
  return options.method === 'GET' || UNSENT.includes(code);
}
