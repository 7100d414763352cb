import { createMethods, type MethodsOf } from './methods.ts';
import { REPEATABLE_POSTS, resources } from './resources.ts';
import { routesOf } from './route.ts';

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

/**
 * Every endpoint of the API that accepts a private key as a method, grouped by resource (except the legacy list of calls). Arguments
 * and results have the types of the contract that the services validate with.
 */
export type Client = MethodsOf<typeof resources>;

/** Creates a client of the workspace that the API key belongs to. */
export function createClient({
  baseUrl,
  apiKey,
  retries = 4,
  deadlineMs = 60_000,
  attemptMs = 30_000,
  fetch: customFetch = fetch,
}: ClientOptions): Client {
  const connection = {
    baseUrl: baseUrl.replace(/\/+$/, ''),
    credentials: () => ({ authorization: `Bearer ${apiKey}` }),
    retries,
    deadlineMs,
    attemptMs,
    fetch: customFetch,
  };
  return createMethods<typeof resources>(connection, routesOf(resources, REPEATABLE_POSTS));
}
