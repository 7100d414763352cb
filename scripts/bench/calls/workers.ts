import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { eventually, freePort } from '@parley/testkit';
import { ROOT, serviceFolder } from '../../stack/folders.ts';
import { processorMs } from '../processor-time.ts';

export type Worker = {
  residentBytes(): Promise<number>;
  /** So far. */
  processorMs(): Promise<number>;
};

/** A call worker as a process of its own, compiled, with such options of Node's as BENCH_NODE_OPTIONS gives it. */
export async function startCallWorker(env: Record<string, string>, lifecycle: Lifecycle): Promise<Worker> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const main = join(serviceFolder('telephony'), 'dist/main.js');
  const options = (process.env.BENCH_NODE_OPTIONS ?? '').split(' ').filter((option) => option !== '');
  const child = spawn(process.execPath, ['--enable-source-maps', ...options, main], {
    cwd: ROOT,
    env: { ...process.env, ...env, TELEPHONY_ROLE: 'worker', PORT: String(port) },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  lifecycle.onStop('call worker', async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
  });
  await eventually(
    async () => {
      if (!(await fetch(`${url}/readyz`)).ok) throw new Error('the worker is not ready');
    },
    { timeoutMs: 30_000 },
  );
  return {
    processorMs: () => processorMs(child.pid ?? 0),
    residentBytes: async () => {
      const metrics = await (await fetch(`${url}/metrics`)).text();
      return Number(/^process_resident_memory_bytes\S* (\S+)$/m.exec(metrics)?.[1]);
    },
  };
}
