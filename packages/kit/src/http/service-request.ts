import type { Agent } from 'node:http';
import type { AnyEndpoint } from '@parley/contracts';
import got, { type Got, type RequestError } from 'got';
import { errorOf, type HttpResponse } from './service-response.ts';

/** A request to another service, ready to be sent. */
export type ServiceRequest = {
  endpoint: AnyEndpoint;
  url: string;
  headers: Record<string, string>;
  body: unknown;
};

const CONNECTION_ERRORS = [
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'EAI_AGAIN',
  'ENETUNREACH',
  'ENOTFOUND',
] as const;

/** There was no connection: the request was not sent. */
const UNSENT = ['ECONNREFUSED', 'EAI_AGAIN', 'ENOTFOUND', 'ENETUNREACH'];

/** Sends requests to one service. Rejects if it cannot be reached or responds that it is unavailable; any other response is a value. */
export function createSendRequest(
  agent: Agent,
  baseUrl: string,
): (request: ServiceRequest, signal: AbortSignal) => Promise<HttpResponse> {
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
        computedValue > 0 && isRetryable(error) ? 20 + Math.random() * 80 : 0,
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
    // A 503 of the service, or a 502 to 504 of a proxy in front of it, counts like a lost connection.
    const error = errorOf(response, endpoint.service);
    if (error.code === 'SERVICE_UNAVAILABLE') throw error;
    return response;
  };
}

/** Builds the URL from the parameters and the query; a list in the query repeats its name. */
export function toServiceRequest(
  endpoint: AnyEndpoint,
  input: object,
  headers: Record<string, string>,
): ServiceRequest {
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

/** A read, or a request that was not sent: another replica may take it. */
function isRetryable({ code, options }: RequestError): boolean {
  return options.method === 'GET' || UNSENT.includes(code);
}
