import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/**
 * Runs Node in the foreground, with our terminal; returns its exit code (128 + the signal's number if it was killed). It has a
 * process group of its own: `signal` ends the whole group with SIGTERM, and processes that outlive the program itself, such as
 * jest's workers, are ended with it.
 */
export function runAttached(
  args: string[],
  env: NodeJS.ProcessEnv,
  cwd: string,
  signal?: AbortSignal,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const stdio = ['ignore', 'inherit', 'inherit'] as const;
    const child = spawn(process.execPath, args, { env, cwd, stdio: [...stdio], detached: true });
    const end = () => endGroup(child.pid);
    if (signal?.aborted) end();
    signal?.addEventListener('abort', end, { once: true });
    child.once('error', reject);
    child.once('exit', (code, name) => {
      signal?.removeEventListener('abort', end);
      end();
      resolve(code ?? 128 + (name ? constants.signals[name] : 0));
    });
  });
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGTERM');
  } catch {
    // No process left.
  }
}
