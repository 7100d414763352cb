import { join } from 'node:path';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { realSleep } from '@parley/kit/time';
import { type Background, startInBackground } from '../../processes/background.ts';
import { anyFreePort } from '../../processes/ports.ts';
import type { Environment } from '../../stack/environment.ts';
import { serviceFolder } from '../../stack/folders.ts';
import { waitUntilReady } from '../../stack/readiness.ts';
import type { ServiceName } from '../../stack/services.ts';
import { type Balancer, createBalancer } from './balancer.ts';

type Replica = { process: Background; port: number; internalPort: number };

export type Replicas = {
  name: ServiceName;
  /** One after the other: a new one, and when it is ready the old one is taken out of the balancer and told to stop. */
  roll(): Promise<void>;
};

type Options = {
  name: ServiceName;
  count: number;
  env: Environment;
  folder: string;
  lifecycle: Lifecycle;
};

const READY_WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 40_000;
/** How long it takes until every node of a cluster knows that a pod is gone. */
const PROPAGATION_MS = 1_000;

/** So many processes of a service behind the address that the others know. */
export async function startReplicas({ name, count, env, folder, lifecycle }: Options): Promise<Replicas> {
  const ways = await Promise.all(
    [env.PORT, env.INTERNAL_PORT].flatMap((port) => (port ? [createBalancer(Number(port), lifecycle)] : [])),
  );
  const replicas: Replica[] = [];
  let serial = 0;

  const start = async (): Promise<Replica> => {
    const [port, internalPort] = [await anyFreePort(), await anyFreePort()];
    serial += 1;
    const process_ = startInBackground([process.execPath, '--enable-source-maps', main(name)], {
      env: { ...process.env, ...env, PORT: String(port), INTERNAL_PORT: String(internalPort) },
      logFile: join(folder, `${name}-${serial}.log`),
    });
    lifecycle.onStop(`${name} ${serial}`, () => process_.stop('SIGKILL', STOP_WITHIN_MS));
    const replica = { process: process_, port, internalPort };
    const asked = env.INTERNAL_PORT ? internalPort : port;
    await waitUntilReady(`http://127.0.0.1:${asked}/readyz`, AbortSignal.timeout(READY_WITHIN_MS));
    for (const [index, way] of ways.entries()) way.add(portOf(replica, index));
    replicas.push(replica);
    return replica;
  };

  const end = async (replica: Replica): Promise<void> => {
    replicas.splice(replicas.indexOf(replica), 1);
    // As in a cluster: it is told to stop while some still send it new connections.
    const taken = realSleep(PROPAGATION_MS).then(() => takeOut(ways, replica));
    await Promise.all([taken, replica.process.stop('SIGTERM', STOP_WITHIN_MS)]);
    const { code, signal } = await replica.process.exited;
    if (code !== 0) throw new Error(`${name} ended with ${code ?? signal} when it was told to stop`);
  };

  for (let i = 0; i < count; i += 1) await start();
  return {
    name,
    roll: async () => {
      for (const old of [...replicas]) {
        await start();
        await end(old);
      }
    },
  };
}

const main = (name: ServiceName): string => join(serviceFolder(name), 'dist/main.js');
const portOf = ({ port, internalPort }: Replica, index: number): number =>
  index === 0 ? port : internalPort;

function takeOut(ways: readonly Balancer[], replica: Replica): void {
  for (const [index, way] of ways.entries()) way.remove(portOf(replica, index));
}
