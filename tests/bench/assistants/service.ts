import type { Actor } from '@parley/kit/http';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { startService } from '@parley/testkit/stage';

export type Ask = (
  workspaceId: string,
  method: string,
  path: string,
  body?: unknown,
  actor?: Actor,
) => Promise<Response>;

/** Starts the assistants service on the given database; returns a function to call it, by default as a key of a workspace. */
export async function startAssistants(
  databaseUrl: string,
  lifecycle: Lifecycle,
  given: Record<string, string> = {},
): Promise<Ask> {
  const env = { DATABASE_URL: databaseUrl, ...given };
  const { url, headersOf } = await startService('assistants', { env }, lifecycle);
  return (workspaceId, method, path, body, actor) =>
    fetch(`${url}${path}`, {
      method,
      headers: headersOf(workspaceId, actor),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
}
