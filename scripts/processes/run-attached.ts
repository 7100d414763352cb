import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/**
 * Runs Node in the foreground, with our terminal, to its end; gives its exit code (128 + the signal's number when it was
 * killed). `signal` ends it with SIGTERM.
 */
export function runAttached(
  args: string[],
  env: NodeJS.ProcessEnv,
  cwd: string,
  signal?: AbortSignal,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { env, cwd, stdio: 'inherit' });
    const end = () => child.kill('SIGTERM');
    if (signal?.aborted) end();
    signal?.addEventListener('abort', end, { once: true });
    child.once('error', reject);
    child.once('exit', (code, name) => {
      signal?.removeEventListener('abort', end);
      resolve(code ?? 128 + (name ? constants.signals[name] : 0));
    });
  });
}
