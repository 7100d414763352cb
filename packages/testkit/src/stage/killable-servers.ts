import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  anyFreePort,
  createPidFiles,
  serverProgram,
  startPrivatePostgres,
  startPrivateRabbitmq,
} from '@parley/devstack';
import { amqpUrl, databaseUrl } from '../addresses.ts';
import { faultProxy } from '../fault-proxy.ts';

/** A server that a test can kill. */
export type KillableServer = {
  url: string;
  /** Kills it and restarts it with the same data. */
  kill(): Promise<void>;
  stop(): Promise<void>;
};

/** A server with `rabbitmqctl`. */
export type OwnBroker = KillableServer & Pick<Awaited<ReturnType<typeof startPrivateRabbitmq>>, 'control'>;

const DOWN_MS = 1_000;

/** Whether RabbitMQ is installed. */
export const hasOwnBroker = serverProgram('rabbitmq') !== undefined;

/** A RabbitMQ of its own, which must be installed. */
export async function ownBroker(): Promise<OwnBroker> {
  const { current, ...server } = await ownServer('rabbitmq', startPrivateRabbitmq, 'SIGKILL');
  return { ...server, control: (...args) => current().control(...args) };
}

/** A RabbitMQ of its own. If none is installed, cuts all connections to the shared one instead. */
export function killableBroker(): Promise<KillableServer> {
  return hasOwnBroker ? ownBroker() : connectionsTo(amqpUrl());
}

/** A RabbitMQ of its own that refuses messages above this size. Undefined: none is installed. */
export async function limitedBroker(maxMessageBytes: number): Promise<KillableServer | undefined> {
  if (!serverProgram('rabbitmq')) return undefined;
  return ownServer('rabbitmq', startPrivateRabbitmq, 'SIGKILL', async (folder) => {
    await mkdir(join(folder, 'conf.d'), { recursive: true });
    await writeFile(join(folder, 'conf.d/limit.conf'), `max_message_size = ${maxMessageBytes}\n`);
  });
}

/** A Postgres of its own, on disk. If none is installed, cuts all connections to the shared one instead. */
export function killablePostgres(): Promise<KillableServer> {
  return serverProgram('postgres')
    ? // Ends all processes without a checkpoint; SIGKILL would only end the first.
      ownServer('postgres', startPrivatePostgres, 'SIGQUIT')
    : connectionsTo(databaseUrl());
}

async function ownServer<S extends Awaited<ReturnType<typeof startPrivatePostgres>>>(
  kind: 'postgres' | 'rabbitmq',
  start: (setting: Parameters<typeof startPrivatePostgres>[0]) => Promise<S>,
  signal: NodeJS.Signals,
  configure: (folder: string) => Promise<void> = async () => undefined,
): Promise<KillableServer & { current: () => S }> {
  const folder = await mkdtemp(join(tmpdir(), `parley-${kind}-`));
  await chmod(folder, 0o711); // Postgres does not run as root.
  const pids = join(folder, 'pids');
  const setting = {
    folder: join(folder, kind),
    name: `parley-test-${process.pid}`,
    password: 'of-the-tests',
    keepData: true,
    port: await anyFreePort(),
    pidFiles: createPidFiles(pids),
    signal: new AbortController().signal,
  };
  await configure(setting.folder);
  let server = await start(setting);
  return {
    url: server.url,
    current: () => server,
    kill: async () => {
      const { pid } = JSON.parse(await readFile(join(pids, `${kind}.json`), 'utf8'));
      process.kill(pid, signal);
      await server.stop();
      await sleep(DOWN_MS);
      server = await start(setting);
    },
    stop: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function connectionsTo(url: string): Promise<KillableServer> {
  const proxy = await faultProxy(url);
  return {
    url: proxy.url,
    kill: async () => {
      proxy.cut();
      await sleep(DOWN_MS);
      proxy.restore();
    },
    stop: proxy.close,
  };
}
