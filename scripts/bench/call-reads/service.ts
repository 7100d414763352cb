import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { INTERNAL_TOKEN_HEADER } from '@parley/kit/http';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { amqpPrefix, amqpUrl, eventually, freePort, internalToken } from '@parley/testkit';
import { ROOT, serviceFolder } from '../../stack/folders.ts';

export type Ask = (workspaceId: string, path: string, body?: object) => Promise<unknown>;

/** Telephony's HTTP part as a process of its own, on the given database; gives how to ask it as a key of a workspace. */
export async function startTelephony(databaseUrl: string, lifecycle: Lifecycle): Promise<Ask> {
  const { prefix, remove } = amqpPrefix();
  lifecycle.onStop('prefix', remove);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const secret = randomBytes(32).toString('hex');
  const nobody = 'http://127.0.0.1:9';
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    LOG_LEVEL: 'warn',
    TELEPHONY_ROLE: 'http',
    PORT: String(port),
    DATABASE_URL: databaseUrl,
    AMQP_URL: amqpUrl(),
    AMQP_PREFIX: prefix,
    INTERNAL_TOKEN_SECRET: secret,
    ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    RECORDING_URL_SECRET: secret,
    RECORDINGS_DIR: join(tmpdir(), 'parley-bench-recordings'),
    PUBLIC_URL: url,
    ASSISTANTS_URL: nobody,
    CAMPAIGNS_URL: nobody,
    GATEWAY_INTERNAL_URL: nobody,
  };
  const main = join(serviceFolder('telephony'), 'src/main.ts');
  const flags = ['--import', 'tsx', '--conditions=source', main];
  const child = spawn(process.execPath, flags, { cwd: ROOT, env, stdio: ['ignore', 'inherit', 'inherit'] });
  lifecycle.onStop('service', () => end(child));
  await eventually(
    async () => {
      const { ok } = await fetch(`${url}/readyz`);
      if (!ok) throw new Error('telephony is not ready');
    },
    { timeoutMs: 30_000 },
  );
  return async (workspaceId, path, body) => {
    const response = await fetch(`${url}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: {
        [INTERNAL_TOKEN_HEADER]: internalToken(secret, { workspaceId }),
        'content-type': 'application/json',
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${response.status} ${text.slice(0, 300)}`);
    return JSON.parse(text);
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  await exited;
}
