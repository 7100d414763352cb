import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  anyFreePort,
  bundleServices,
  type Environment,
  forEachService,
  openStack,
  SERVICES,
  type ServiceName,
  serviceEnvironments,
} from '@parley/devstack';
import { amqpUrl, databaseUrl, redisUrl } from '../addresses.ts';
import { removePrefix } from '../amqp-prefix.ts';
import { type TestDatabase, testDatabase } from '../test-database.ts';
import { startOperator } from './operator.ts';

/** The output of `parley workspace create`. */
export type Workspace = {
  workspace_id: string;
  private_key: string;
  public_key: string;
  webhook_secret: string;
};

/** Databases, queues, ports, secrets and files of a platform, without its processes. */
export type PlatformStack = {
  /** The gateway's public address. */
  url: string;
  /** For logs and recordings; removed with the stack. */
  folder: string;
  originMs: number;
  environments: Record<ServiceName, Environment>;
  /** Address of a service's `/readyz` and `/metrics`. */
  internalUrl(service: ServiceName): string;
  /** Runs the operator's command; returns its output. */
  parley(...args: string[]): Promise<unknown>;
  /** `limits`: options of `parley workspace set`, without their dashes. */
  createWorkspace(name: string, limits?: Record<string, number>): Promise<Workspace>;
  remove(): Promise<void>;
};

type Options = {
  clockRate?: number;
  /** A broker that the caller can kill. */
  brokerUrl?: string;
  /** Variables of every service in addition to those of a development stack. */
  env?: Environment;
  /** Commits wait for the disk, as in production. */
  durable?: boolean;
};

export async function createPlatformStack({
  clockRate = 1,
  brokerUrl = amqpUrl(),
  env = {},
  durable = false,
}: Options = {}): Promise<PlatformStack> {
  await bundleServices();
  const folder = await mkdtemp(join(tmpdir(), 'parley-platform-'));
  const stack = openStack(join(folder, 'stack.json'), {});
  const ports = { ...forEachService(() => 0), internal: await anyFreePort() };
  for (const name of SERVICES) ports[name] = await anyFreePort();
  const originMs = Date.now();
  const plain = serviceEnvironments({
    stack,
    urls: { postgres: databaseUrl(), redis: redisUrl(), rabbitmq: brokerUrl },
    ports,
    given: { CLOCK_RATE: String(clockRate), NODE_ENV: 'test', RECORDINGS_DIR: join(folder, 'recordings') },
    originMs,
  });
  const cloning = forEachService((name) => testDatabase(name, { durable }));
  await Promise.all(Object.values(cloning));
  const databases = new Map<ServiceName, TestDatabase>();
  for (const name of SERVICES) databases.set(name, await cloning[name]);
  const environments = forEachService((name) => ({
    ...plain[name],
    DATABASE_URL: databases.get(name)?.url ?? '',
    ...env,
  }));
  const operator = startOperator(environments.gateway);
  return {
    url: `http://127.0.0.1:${ports.gateway}`,
    folder,
    originMs,
    environments,
    internalUrl: (service) => `http://127.0.0.1:${service === 'gateway' ? ports.internal : ports[service]}`,
    parley: operator.run,
    createWorkspace: async (name, limits = {}) => {
      const workspace = (await operator.run('workspace', 'create', '--name', name)) as Workspace;
      const options = Object.entries(limits).flatMap(([option, value]) => [`--${option}`, String(value)]);
      if (options.length > 0) {
        await operator.run('workspace', 'set', '--workspace', workspace.workspace_id, ...options);
      }
      return workspace;
    },
    remove: async () => {
      await operator.stop();
      await Promise.all([...databases.values()].map(({ drop }) => drop()));
      await removePrefix(stack.name, brokerUrl);
      if (process.env.KEEP_LOGS) console.log(`logs are in ${folder}`);
      else await rm(folder, { recursive: true, force: true });
    },
  };
}
