import { join } from 'node:path';
import type { Environment } from '@parley/devstack';
import { anyFreePort, type Background, startInBackground } from '@parley/devstack';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Balancer } from './balancer.ts';
import { followReadiness } from './follow-readiness.ts';

export type Replicas = {
  name: string;
  /** One after the other: a new one, and when it is ready the old one is told to stop. `env` is the new version's. */
  roll(env?: Environment): Promise<void>;
};

type Options = {
  name: string;
  /** The compiled entry point. */
  main: string;
  count: number;
  env: Environment;
  /** To its port, and to its second one where it has one. */
  ways: readonly Balancer[];
  folder: string;
  lifecycle: Lifecycle;
};

const STOP_WITHIN_MS = 45_000;

/** So many processes of a service. */
export async function startReplicas(options: Options): Promise<Replicas> {
  const { name, main, count, ways, folder, lifecycle } = options;
  const replicas: Background[] = [];
  let serial = 0;

  const start = async (more: Environment = {}): Promise<void> => {
    const ports = [await anyFreePort(), await anyFreePort()] as const;
    const [port, internalPort] = ports;
    serial += 1;
    const env = { ...process.env, ...options.env, ...more };
    const replica = startInBackground([process.execPath, '--enable-source-maps', main], {
      env: { ...env, PORT: String(port), INTERNAL_PORT: String(internalPort) },
      logFile: join(folder, `${name}-${serial}.log`),
    });
    lifecycle.onStop(`${name} ${serial}`, () => replica.stop('SIGKILL', STOP_WITHIN_MS));
    const asked = options.env.INTERNAL_PORT ? internalPort : port;
    const toEach = (change: 'add' | 'remove') => (): void => {
      for (const [index, way] of ways.entries()) way[change](ports[index] ?? 0);
    };
    await followReadiness(
      `http://127.0.0.1:${asked}/readyz`,
      { onReady: toEach('add'), onGone: toEach('remove') },
      lifecycle.signal,
    );
    replicas.push(replica);
  };

  const end = async (replica: Background): Promise<void> => {
    replicas.splice(replicas.indexOf(replica), 1);
    await replica.stop('SIGTERM', STOP_WITHIN_MS);
    const { code, signal } = await replica.exited;
    if (code !== 0) throw new Error(`${name} ended with ${code ?? signal} when it was told to stop`);
  };

  for (let i = 0; i < count; i += 1) await start();
  return {
    name,
    roll: async (env) => {
      for (const old of [...replicas]) {
        await start(env);
        await end(old);
      }
    },
  };
}
