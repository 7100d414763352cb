import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { anyFreePort, createPidFiles, serverProgram, startPrivateRabbitmq } from '@parley/devstack';
import { amqpUrl } from '../addresses.ts';
import { cuttable } from '../cuttable.ts';

export type Broker = {
  url: string;
  /** Kills it and restarts it with the same data. */
  kill(): Promise<void>;
  stop(): Promise<void>;
};

const DOWN_MS = 1_000;

/** A broker that a test can kill: a RabbitMQ of its own. If none is installed, cuts all connections to the shared one instead. */
export function mortalBroker(): Promise<Broker> {
  return serverProgram('rabbitmq') ? ownRabbitmq() : wayToSharedRabbitmq();
}

async function ownRabbitmq(): Promise<Broker> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-broker-'));
  const pids = join(folder, 'pids');
  const setting = {
    folder: join(folder, 'rabbitmq'),
    name: `parley-test-${process.pid}`,
    password: 'of-the-tests',
    keepData: true,
    port: await anyFreePort(),
    pidFiles: createPidFiles(pids),
    signal: new AbortController().signal,
  };
  let server = await startPrivateRabbitmq(setting);
  return {
    url: server.url,
    kill: async () => {
      const { pid } = JSON.parse(await readFile(join(pids, 'rabbitmq.json'), 'utf8'));
      process.kill(pid, 'SIGKILL');
      await server.stop();
      await sleep(DOWN_MS);
      server = await startPrivateRabbitmq(setting);
    },
    stop: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function wayToSharedRabbitmq(): Promise<Broker> {
  const way = await cuttable(amqpUrl());
  return {
    url: way.url,
    kill: async () => {
      way.cut();
      await sleep(DOWN_MS);
      way.restore();
    },
    stop: way.close,
  };
}
