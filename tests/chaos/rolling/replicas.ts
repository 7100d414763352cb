import { join } from 'node:path';
import type { Environment } from '@parley/devstack';
import { anyFreePort, type Background, startInBackground } from '@parley/devstack';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Balancer } from './balancer.ts';
import { followReadiness } from './follow-readiness.ts';

export type Replicas = {
  name: string;
  /** Replaces one replica at a time: starts a new one with `env`, and stops the old one when that is ready. */
  roll(env?: Environment): Promise<void>;
};

type Options = {
  name: string;
  /** The compiled entry point. */
  main: string;
  count: number;
  env: Environment;
  /** Of its port, and of its internal port if it has one. */
  balancers: readonly Balancer[];
  folder: string;
  lifecycle: Lifecycle;
};

const STOP_WITHIN_MS = 45_000;

/** Starts `count` processes of a service. */
export async function startReplicas(options: Options): Promise<Replicas> {
  const { name, main, count, balancers, folder, lifecycle } = options;
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
    const probedPort = options.env.INTERNAL_PORT ? internalPort : port;
    const toEach = (change: 'add' | 'remove') => (): void => {
      for (const [index, balancer] of balancers.entries()) balancer[change](ports[index] ?? 0);
    };
    await followReadiness(
      `http://127.0.0.1:${probedPort}/readyz`,
      { onReady: toEach('add'), onGone: toEach('remove') },
      lifecycle.signal,
    );
    replicas.push(replica);
  };

  const end = async (replica: Background): Promise<void> => {
    replicas.splice(replicas.indexOf(replica), 1);
    await replica.stop('SIGTERM', STOP_WITHIN_MS);
    const { code, signal } = await replica.exited;
    if (code !== 0) throw new Error(`${name} exited with ${code ?? signal} after SIGTERM`);
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
