import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Sends SIGTERM, unless the process has already ended, and waits for its exit. */
export async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}
