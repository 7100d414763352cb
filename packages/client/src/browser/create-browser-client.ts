import { browserRoutes } from '../generated/browser-routes.ts';
import { createMethods, type MethodsOf } from '../methods.ts';
import type { resources } from '../resources.ts';
import type { dashboardResources } from './dashboard-resources.ts';
import { watchSession } from './watch-session.ts';

export type BrowserClientOptions = {
  /** Base URL of the platform; by default that of the page. */
  baseUrl?: string;
  /** The `csrf_token` of the current session, without which it can only read. */
  csrfToken(): string | undefined;
  /** The workspace that the page shows: a request is `409 CONFLICT` if another tab has selected another one. */
  workspaceId?(): string | undefined;
  /** A request, sent at this `performance.now()`, was refused because there was no session (any more). */
  onSessionEnd?(sentAt: number): void;
  /** A request was `409`: another tab may have selected another workspace. */
  onConflict?(): void;
  /** Maximum retries; 2 by default. */
  retries?: number;
  /** The `fetch` to use; the global one by default. */
  fetch?: typeof fetch;
};

/**
 * Every endpoint that a session of the dashboard can use as a method: the public API, and the dashboard's own routes. The browser
 * adds the cookie of the session. Carries a table of routes instead of the contract's schemas, so that a page loads quickly.
 */
export type BrowserClient = MethodsOf<typeof resources & typeof dashboardResources>;

const DEADLINE_MS = 45_000;
const ATTEMPT_MS = 30_000;

export function createBrowserClient({
  baseUrl = '',
  csrfToken,
  workspaceId = () => undefined,
  onSessionEnd = () => {},
  onConflict = () => {},
  retries = 2,
  fetch: customFetch = (...args) => fetch(...args),
}: BrowserClientOptions): BrowserClient {
  const connection = {
    baseUrl: baseUrl.replace(/\/+$/, ''),
    credentials: ({ method }: { method: string }): Record<string, string> => {
      const token = method === 'GET' ? undefined : csrfToken();
      const workspace = workspaceId();
      return {
        ...(token === undefined ? {} : { 'x-csrf-token': token }),
        ...(workspace === undefined ? {} : { 'x-workspace-id': workspace }),
      };
    },
    retries,
    deadlineMs: DEADLINE_MS,
    attemptMs: ATTEMPT_MS,
    fetch: watchSession(customFetch, { onSessionEnd, onConflict }),
  };
  return createMethods<typeof resources & typeof dashboardResources>(connection, browserRoutes);
}
