import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { INTERNAL_TOKEN_HEADER } from '@parley/kit/http';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { amqpPrefix, amqpUrl, eventually, freePort, internalToken } from '@parley/testkit';
import { ROOT, serviceFolder } from '../../stack/folders.ts';

export type Ask = (workspaceId: string, method: string, path: string, body: unknown) => Promise<Response>;

/** The real service as a process of its own, on the given database; gives how to ask it as a key of a workspace. */
export async function startAssistants(databaseUrl: string, lifecycle: Lifecycle): Promise<Ask> {
  const { prefix, remove } = amqpPrefix();
  lifecycle.onStop('prefix', remove);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const secret = randomBytes(32).toString('hex');
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    LOG_LEVEL: 'warn',
    PORT: String(port),
    DATABASE_URL: databaseUrl,
    AMQP_URL: amqpUrl(),
    AMQP_PREFIX: prefix,
    INTERNAL_TOKEN_SECRET: secret,
    ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    // Nobody is asked for what is measured here, and nobody answers.
    CAMPAIGNS_URL: 'http://127.0.0.1:9',
    TELEPHONY_URL: 'http://127.0.0.1:9',
  };
  const main = join(serviceFolder('assistants'), 'src/main.ts');
  const flags = ['--import', 'tsx', '--conditions=source', main];
  const child = spawn(process.execPath, flags, { cwd: ROOT, env, stdio: ['ignore', 'inherit', 'inherit'] });
  lifecycle.onStop('service', () => end(child));
  await eventually(
    async () => {
      const { ok } = await fetch(`${url}/readyz`);
      if (!ok) throw new Error('assistants is not ready');
    },
    { timeoutMs: 30_000 },
  );
  return (workspaceId, method, path, body) =>
    fetch(`${url}${path}`, {
      method,
      headers: {
        [INTERNAL_TOKEN_HEADER]: internalToken(secret, { workspaceId }),
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  await exited;
}
