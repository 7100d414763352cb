import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { startService } from '@parley/testkit/stage';

export type Ask = (workspaceId: string, path: string, body?: object) => Promise<unknown>;

/** Starts telephony's API process on the given database; returns a function to call it as a key of a workspace. */
export async function startTelephony(
  databaseUrl: string,
  lifecycle: Lifecycle,
  more: Record<string, string> = {},
): Promise<Ask> {
  const env = {
    ...more,
    DATABASE_URL: databaseUrl,
    RECORDING_URL_SECRET: 'x'.repeat(64),
    RECORDINGS_DIR: join(tmpdir(), 'parley-bench-recordings'),
    PUBLIC_URL: 'http://127.0.0.1',
  };
  const { url, headersOf } = await startService('telephony', { env }, lifecycle);
  return async (workspaceId, path, body) => {
    const response = await fetch(`${url}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: headersOf(workspaceId),
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${response.status} ${text.slice(0, 300)}`);
    return JSON.parse(text);
  };
}
