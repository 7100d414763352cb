import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Actor, INTERNAL_TOKEN_HEADER } from '@parley/kit/http';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { amqpPrefix, amqpUrl, eventually, freePort, internalToken } from '@parley/testkit';
import { ROOT, serviceFolder } from '../../stack/folders.ts';

const FOLLOW_PARENT = fileURLToPath(new URL('../../processes/follow-parent.mjs', import.meta.url));

export type Ask = (
  workspaceId: string,
  method: string,
  path: string,
  body?: unknown,
  actor?: Actor,
) => Promise<Response>;

/**
 * The real service as a process of its own, on the given database; gives how to ask it, as a key of a workspace unless
 * it is told who asks.
 */
export async function startAssistants(
  databaseUrl: string,
  lifecycle: Lifecycle,
  given: Record<string, string> = {},
): Promise<Ask> {
  const { prefix, remove } = amqpPrefix();
  lifecycle.onStop('prefix', remove);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const secret = randomBytes(32).toString('hex');
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    LOG_LEVEL: 'error',
    PORT: String(port),
    DATABASE_URL: databaseUrl,
    AMQP_URL: amqpUrl(),
    AMQP_PREFIX: prefix,
    INTERNAL_TOKEN_SECRET: secret,
    ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    // Nobody is asked for what is measured here, and nobody answers.
    CAMPAIGNS_URL: 'http://127.0.0.1:9',
    TELEPHONY_URL: 'http://127.0.0.1:9',
    ...given,
  };
  const main = join(serviceFolder('assistants'), 'src/main.ts');
  const flags = ['--import', 'tsx', '--conditions=source', '--import', FOLLOW_PARENT, main];
  const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const;
  const child = spawn(process.execPath, flags, { cwd: ROOT, env, stdio: [...stdio] });
  lifecycle.onStop('service', () => end(child));
  await eventually(
    async () => {
      const { ok } = await fetch(`${url}/readyz`);
      if (!ok) throw new Error('assistants is not ready');
    },
    { timeoutMs: 30_000 },
  );
  return (workspaceId, method, path, body, actor) =>
    fetch(`${url}${path}`, {
      method,
      headers: {
        [INTERNAL_TOKEN_HEADER]: internalToken(secret, { workspaceId, ...(actor ? { actor } : {}) }),
        'content-type': 'application/json',
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  await exited;
}
