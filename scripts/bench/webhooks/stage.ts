import { type ChildProcess, fork, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { newWebhookSecret } from '@parley/kit/outbound';
import {
  amqpPrefix,
  amqpUrl,
  eventually,
  freePort,
  type SqlClient,
  sqlClient,
  testDatabase,
} from '@parley/testkit';
import { buildAll } from '../../build/build.ts';
import { ROOT, serviceFolder } from '../../stack/folders.ts';
import { postgresMs } from '../processor-time.ts';

const FOLLOW_PARENT = fileURLToPath(new URL('../../processes/follow-parent.mjs', import.meta.url));

export type Stage = {
  sql: SqlClient;
  prefix: string;
  /** Starts the compiled service, with default settings; gives how much memory and time it has taken so far. */
  startService(): Promise<Usage>;
};

/** So far: `cpuMs` of the service, `postgresMs` of its connections. */
export type Usage = () => Promise<{ residentBytes: number; cpuMs: number; postgresMs: number }>;

/** A database and a broker prefix of their own, and a gateway that tells every workspace's secret. */
export async function setStage(lifecycle: Lifecycle): Promise<Stage> {
  await buildAll(() => {});
  const database = await testDatabase('webhooks', { durable: true });
  lifecycle.onStop('database', database.drop);
  const sql = sqlClient(database.url);
  lifecycle.onStop('pool', sql.close);
  const { prefix, remove } = amqpPrefix();
  lifecycle.onStop('prefix', remove);
  const gatewayUrl = await startGateway(lifecycle);
  const env = {
    NODE_ENV: 'production',
    DATABASE_URL: database.url,
    AMQP_URL: amqpUrl(),
    AMQP_PREFIX: prefix,
    INTERNAL_TOKEN_SECRET: randomBytes(32).toString('hex'),
    GATEWAY_INTERNAL_URL: gatewayUrl,
    TELEPHONY_URL: gatewayUrl,
    OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
  };
  return { sql, prefix, startService: () => startService(sql, env, lifecycle) };
}

async function startGateway(lifecycle: Lifecycle): Promise<string> {
  const secret = newWebhookSecret();
  const port = await freePort();
  const server = createServer((req, res) => {
    const id = req.url?.split('/').at(-1);
    const data = { workspace_id: id, rate_cents: 10, max_live_calls: 20, webhook_secrets: [secret] };
    res.setHeader('content-type', 'application/json').end(JSON.stringify({ success: true, data }));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  lifecycle.onStop('gateway', () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${port}`;
}

async function startService(
  sql: SqlClient,
  env: Record<string, string>,
  lifecycle: Lifecycle,
): Promise<Usage> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const main = join(serviceFolder('webhooks'), 'dist/main.js');
  const profile = process.env.BENCH_PROFILE
    ? ['--cpu-prof', `--cpu-prof-dir=${process.env.BENCH_PROFILE}`]
    : [];
  const flags = [...profile, '--enable-source-maps', '--import', FOLLOW_PARENT, main];
  const child = spawn(process.execPath, flags, {
    cwd: ROOT,
    env: { ...process.env, ...env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  lifecycle.onStop('service', () => ended(child, () => child.kill('SIGTERM')));
  await eventually(
    async () => {
      if (!(await fetch(`${url}/readyz`)).ok) throw new Error('webhooks is not ready');
    },
    { timeoutMs: 60_000 },
  );
  return async () => {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    const read = (name: string) => Number(new RegExp(`^${name}\\S* (\\S+)$`, 'm').exec(metrics)?.[1]);
    return {
      residentBytes: read('process_resident_memory_bytes'),
      cpuMs: read('process_cpu_seconds_total') * 1000,
      postgresMs: await postgresMs(sql),
    };
  };
}

/** The ports of so many endpoints, in a process of their own that runs `program` as `receivers <count>`. */
export async function startReceivers(
  program: string,
  count: number,
  lifecycle: Lifecycle,
): Promise<readonly number[]> {
  const child = fork(program, ['receivers', String(count)]);
  lifecycle.onStop('receivers', () => ended(child, () => child.disconnect()));
  const [ports] = await once(child, 'message');
  return ports;
}

async function ended(child: ChildProcess, end: () => void): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  end();
  await exited;
}
