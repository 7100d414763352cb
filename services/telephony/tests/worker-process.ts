import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { bundledEntry } from '@parley/testkit/stage';
import type { Harness } from './harness.ts';

const PAGE_BYTES = 4_096;

export type WorkerProcess = {
  /** Its worker id. */
  workerId: string;
  kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null>;
  /** Suspends the process (SIGSTOP); it does not notice when it continues. */
  pause(): void;
  goOn(): void;
  /** Its memory in use. */
  residentBytes(): number;
};

/**
 * Another process of the service, on the harness's database and broker, which carries calls and can be killed. Compiled and bundled: to
 * load the sources takes several times the CPU.
 */
export async function workerProcess(harness: Harness): Promise<WorkerProcess> {
  const child = spawn(process.execPath, [await bundledEntry('telephony', 'worker')], {
    env: { ...process.env, NODE_OPTIONS: '', ...harness.env, LOG_LEVEL: 'info' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // Stopped after a failed test, too.
  harness.onClose(async () => void child.kill('SIGKILL'));
  const started = await said(child, 'call worker started');
  return {
    workerId: /"workerId":"([^"]+)"[^\n]*call worker started/.exec(started)?.[1] ?? '',
    pause: () => void child.kill('SIGSTOP'),
    residentBytes: () => Number(readFileSync(`/proc/${child.pid}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES,
    goOn: () => void child.kill('SIGCONT'),
    kill: async (signal) => {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      const gone = once(child, 'exit');
      child.kill(signal);
      await gone;
      return child.exitCode;
    },
  };
}

/** Resolves with the output up to these words. */
function said(child: ChildProcess, words: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    child.once('exit', (code) => reject(new Error(`worker process exited with ${code}: ${output}`)));
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
      if (output.includes(words)) resolve(output);
    });
  });
}
