import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { INTERNAL_TOKEN_HEADER } from '@parley/kit/http';
import type { Lifecycle } from '@parley/kit/lifecycle';
import {
  amqpPrefix,
  amqpUrl,
  freePort,
  internalKeys,
  internalToken,
  redisUrl,
  testDatabase,
} from '@parley/testkit';
import { startOperator, startService, type Workspace } from '@parley/testkit/stage';
import { portOf, startChild } from './children.ts';
import type { Load, Measured } from './generator.ts';

const fileOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
/** A limit that is checked and never reached. */
const NO_LIMIT = '999999999';

/** A route to the upstream. `duties`: through the Express app with authentication, limit and log. */
export type Target = {
  name: 'direct' | 'gateway' | 'express + got' | 'express + got with duties';
  port: number;
  headers(): Record<string, string>;
};

export type Stage = {
  routes: Record<'direct' | 'gateway' | 'express' | 'duties', Target>;
  /** The same for the upstream that does almost no work, in place of campaigns. */
  routesToBare: Stage['routes'];
  measure(load: Omit<Load, 'port' | 'headers'>, target: Target): Promise<Measured>;
};

/** Starts the assistants service, the gateway and the Express apps, compiled, each in its own process. */
export async function setStage(lifecycle: Lifecycle): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-bench-gateway-'));
  lifecycle.onStop('folder', () => rm(folder, { recursive: true, force: true }));
  const { prefix, remove } = amqpPrefix();
  lifecycle.onStop('prefix', remove);
  const secret = randomBytes(32).toString('hex');
  const port = { assistants: await freePort(), gateway: await freePort(), internal: await freePort() };
  const nobody = 'http://127.0.0.1:9';
  const behind = `http://127.0.0.1:${port.assistants}`;
  const common = {
    ...process.env,
    NODE_ENV: 'production',
    LOG_LEVEL: 'info',
    DATABASE_POOL: '4',
    AMQP_URL: amqpUrl(),
    AMQP_PREFIX: prefix,
    ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    CAMPAIGNS_URL: nobody,
    TELEPHONY_URL: nobody,
    WEBHOOKS_URL: nobody,
  };
  const start = async (name: 'assistants' | 'gateway', env: Record<string, string | undefined>) => {
    const log = await open(join(folder, `${name}.log`), 'w');
    await startService(name, { env, secret, log: log.fd }, lifecycle);
    await log.close();
  };
  const database = async (name: 'assistants' | 'gateway'): Promise<string> => {
    const { url, drop } = await testDatabase(name, { durable: true });
    lifecycle.onStop(`database of ${name}`, drop);
    return url;
  };
  const ofAssistants = {
    ...common,
    ...internalKeys(secret, 'assistants'),
    PORT: String(port.assistants),
    DATABASE_URL: await database('assistants'),
  };
  await start('assistants', ofAssistants);
  const bare = await startChild(fileOf('./bare-owner.ts'), [], lifecycle);
  const bareUrl = `http://127.0.0.1:${await portOf(bare)}`;
  const ofGateway = {
    ...common,
    ...internalKeys(secret, 'gateway'),
    PORT: String(port.gateway),
    INTERNAL_PORT: String(port.internal),
    DATABASE_URL: await database('gateway'),
    REDIS_URL: redisUrl(),
    REDIS_PREFIX: prefix,
    KEY_PEPPER: randomBytes(32).toString('hex'),
    RATE_LIMIT_BURST: NO_LIMIT,
    ASSISTANTS_URL: behind,
    CAMPAIGNS_URL: bareUrl,
    GATEWAY_INTERNAL_URL: `http://127.0.0.1:${port.internal}`,
  };
  await start('gateway', ofGateway);

  const operator = startOperator(ofGateway);
  lifecycle.onStop('operator', operator.stop);
  const made = (await operator.run('workspace', 'create', '--name', 'Bench')) as Workspace;
  const { workspace_id: workspaceId, private_key: key } = made;
  await operator.run('workspace', 'set', '--workspace', workspaceId, '--requests-per-minute', NO_LIMIT);

  // An internal token expires after a minute.
  const token = (): string => internalToken(secret, 'assistants', { workspaceId });
  const expressLog = await open(join(folder, 'express.log'), 'w');
  lifecycle.onStop('log of express', () => expressLog.close());
  const apps: ChildProcess[] = [];
  const expressTo = async (target: string, kind: 'bare' | 'duties'): Promise<number> => {
    const args = [target, INTERNAL_TOKEN_HEADER, kind];
    const on = { env: ofGateway, log: expressLog.fd };
    const app = await startChild(fileOf('./express-got.ts'), args, lifecycle, on);
    apps.push(app);
    return portOf(app);
  };
  const generator = await startChild(fileOf('./generator.ts'), [], lifecycle);

  const byKey = () => ({ authorization: `Bearer ${key}` });
  const waysTo = async (url: string, direct: number): Promise<Stage['routes']> => ({
    direct: { name: 'direct', port: direct, headers: () => ({ [INTERNAL_TOKEN_HEADER]: token() }) },
    gateway: { name: 'gateway', port: port.gateway, headers: byKey },
    express: { name: 'express + got', port: await expressTo(url, 'bare'), headers: () => ({}) },
    duties: { name: 'express + got with duties', port: await expressTo(url, 'duties'), headers: byKey },
  });
  return {
    routes: await waysTo(behind, port.assistants),
    routesToBare: await waysTo(bareUrl, await portOf(bare)),
    measure: async (load, { port, headers }) => {
      for (const app of apps) app.send(token());
      generator.send({ ...load, port, headers: headers() } satisfies Load);
      const [measured] = (await once(generator, 'message')) as [Measured];
      return measured;
    },
  };
}
