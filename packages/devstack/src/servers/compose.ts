import { join } from 'node:path';
import { anyFreePort, isPortFree } from '../processes/ports.ts';
import { runProgram } from '../processes/run-program.ts';
import { Problem } from '../terminal/problem.ts';
import type { Finding } from './choose-source.ts';
import { type RunningServer, SERVERS, type ServerKind } from './server-kinds.ts';

/** The variables with which docker-compose.yml publishes each server, and the servers' credentials. */
const PUBLISHED: Record<ServerKind, { variable: string; url(port: number): string }> = {
  postgres: {
    variable: 'POSTGRES_PORT',
    url: (port) => `postgres://parley:parley-dev@127.0.0.1:${port}/postgres`,
  },
  redis: { variable: 'REDIS_PORT', url: (port) => `redis://127.0.0.1:${port}` },
  rabbitmq: { variable: 'RABBITMQ_PORT', url: (port) => `amqp://parley:parley-dev@127.0.0.1:${port}` },
};

/** Whether a Docker engine with compose responds. */
export async function findEngine(): Promise<Finding> {
  const [compose, engine] = await Promise.all([
    runProgram('docker', ['compose', 'version'], { timeoutMs: 5_000 }),
    runProgram('docker', ['info', '--format', '{{.ServerVersion}}'], { timeoutMs: 5_000 }),
  ]);
  if (compose.ok && engine.ok && engine.stdout.trim() !== '') return { ok: true };
  return { ok: false, why: engine.ok ? 'docker compose is not installed' : 'no Docker engine responds' };
}

type Options = { root: string; project: string; keepData: boolean };

/** Starts the given servers of docker-compose.yml, on their usual ports if these are free. */
export async function startWithCompose(kinds: ServerKind[], options: Options): Promise<RunningServer[]> {
  const { root, project, keepData } = options;
  const ports = new Map<ServerKind, number>();
  for (const kind of kinds) {
    const { usualPort } = SERVERS[kind];
    ports.set(kind, (await isPortFree(usualPort)) ? usualPort : await anyFreePort());
  }
  const published = kinds.map((kind) => [PUBLISHED[kind].variable, String(ports.get(kind))]);
  const env = { ...process.env, ...Object.fromEntries(published) };
  const compose = (...args: string[]) =>
    runProgram('docker', ['compose', '-f', join(root, 'docker-compose.yml'), '-p', project, ...args], {
      cwd: root,
      env,
      timeoutMs: 10 * 60_000,
    });

  const result = await compose('up', '-d', '--wait', ...kinds);
  if (!result.ok) {
    throw new Problem(`${result.stderr.trim()}\n\ndocker compose could not start ${kinds.join(', ')}.`);
  }
  let down: Promise<unknown> | undefined;
  const stop = async (kind: ServerKind) => {
    if (keepData) return void (await compose('rm', '--stop', '--force', kind));
    down ??= compose('down', '--volumes');
    await down;
  };
  return kinds.map((kind) => {
    const port = ports.get(kind) ?? SERVERS[kind].usualPort;
    const about = `docker compose, 127.0.0.1:${port}`;
    return { kind, url: PUBLISHED[kind].url(port), about, stop: () => stop(kind) };
  });
}
