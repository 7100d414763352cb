import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { isAlive } from '../processes/is-alive.ts';
import { createPidFiles } from '../processes/pid-files.ts';
import { inStack, ROOT, STACK_FOLDER } from '../stack/folders.ts';
import type { Steps } from '../terminal/steps.ts';
import { type Provisioned, provision } from './provision.ts';
import { removeFromMemory } from './reachable-folder.ts';
import type { ServerKind } from './server-kinds.ts';

const FOLDER = /^throwaway-(\d+)$/;
/** Other checkouts, also in containers that share the memory, have other names: their pids mean nothing here. */
const PREFIX = `parley-throwaway-${createHash('sha256').update(ROOT).digest('hex').slice(0, 8)}`;

/**
 * Servers for one run of the tests or of a benchmark, found as for `npm start`. Private servers are started per run, without
 * durability, and removed afterwards, so that several runs and `npm start` don't interfere.
 */
export async function provisionThrowaway(
  steps: Steps,
  signal: AbortSignal,
  preferPrivate: readonly ServerKind[] = [],
): Promise<Provisioned> {
  await removeLeftBehind();
  const folder = inStack(`throwaway-${process.pid}`);
  const setting = {
    root: ROOT,
    folder,
    name: `${PREFIX}-${process.pid}`,
    password: randomBytes(16).toString('hex'),
    keepData: false,
    // The tests prefer a private server; benchmarks, which get one where none is running, measure one on the disk.
    inMemory: preferPrivate.includes('postgres'),
    pidFiles: createPidFiles(`${folder}/pids`),
    signal,
    preferPrivate,
  };
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const { urls, stop } = await provision(setting, steps);
    return { urls, stop: () => stop().finally(remove) };
  } catch (error) {
    remove();
    throw error;
  }
}

async function removeLeftBehind(): Promise<void> {
  for (const name of readdirSync(STACK_FOLDER)) {
    const pid = Number(FOLDER.exec(name)?.[1] ?? Number.NaN);
    if (Number.isNaN(pid) || isAlive(pid)) continue;
    await createPidFiles(inStack(name, 'pids')).killLeftovers();
    rmSync(inStack(name), { recursive: true, force: true });
  }
  removeFromMemory(PREFIX);
}

/** The variables with the servers' addresses for tests and benchmarks. */
export function serverVariables({ urls }: Provisioned): NodeJS.ProcessEnv {
  return { DATABASE_URL: urls.postgres, REDIS_URL: urls.redis, AMQP_URL: urls.rabbitmq };
}
