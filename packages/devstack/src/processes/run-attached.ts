import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/**
 * Runs Node in the foreground, with our terminal, to its end; gives its exit code (128 + the signal's number when it was
 * killed). It has a process group of its own: `signal` ends all of it with SIGTERM, and what outlives the program itself
 * (jest's workers do) is ended with it.
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
    // Nobody is left.
  }
}
