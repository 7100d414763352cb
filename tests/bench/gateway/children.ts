import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { ROOT } from '@parley/devstack';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { endProcess } from '@parley/testkit/stage';

const FROM_SOURCE = ['--import', 'tsx', '--conditions=source'];
const ports = new WeakMap<ChildProcess, Promise<number>>();

/** The port on which a child listens, from its first message. */
export function portOf(child: ChildProcess): Promise<number> {
  const known = ports.get(child);
  if (known) return known;
  const port = once(child, 'message').then(([message]) => (message as { listening: number }).listening);
  ports.set(child, port);
  return port;
}

export async function startChild(
  file: string,
  args: string[],
  lifecycle: Lifecycle,
  { env, log = 'inherit' }: { env?: NodeJS.ProcessEnv; log?: number | 'inherit' } = {},
): Promise<ChildProcess> {
  const flags = [...FROM_SOURCE, file, ...args];
  const child = spawn(process.execPath, flags, {
    cwd: ROOT,
    stdio: ['ignore', log, 'inherit', 'ipc'],
    ...(env ? { env } : {}),
  });
  lifecycle.onStop(file, () => endProcess(child));
  await once(child, 'spawn');
  return child;
}
