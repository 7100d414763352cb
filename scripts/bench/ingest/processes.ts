import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { eventually } from '@parley/testkit';
import { ROOT, serviceFolder } from '../../stack/folders.ts';

const FOLLOW_PARENT = fileURLToPath(new URL('../../processes/follow-parent.mjs', import.meta.url));
/** Linux counts the processor's time in these. */
const TICKS_PER_SECOND = 100;
const FLAGS = ['--enable-source-maps'];

export type ServiceProcess = {
  url: string;
  /** Bytes in memory now, and the most of any look since `forget`. */
  memory: { now(): Promise<number>; most(): number; forget(): void };
  /** Seconds of the processors that it has used: what a crowded machine changes least. */
  cpuSeconds(): Promise<number>;
};

/** A service as a process of its own, ready. */
export async function startService(
  name: 'gateway' | 'campaigns',
  env: Record<string, string>,
  lifecycle: Lifecycle,
): Promise<ServiceProcess> {
  // Compiled, as it is deployed.
  const main = join(serviceFolder(name), 'dist/main.js');
  const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const;
  const child = spawn(process.execPath, [...FLAGS, '--import', FOLLOW_PARENT, main], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: [...stdio],
  });
  lifecycle.onStop(name, () => end(child));
  const url = `http://127.0.0.1:${env.PORT}`;
  await eventually(
    async () => {
      const { ok } = await fetch(`${url}/healthz`);
      if (!ok) throw new Error(`${name} is not ready`);
    },
    { timeoutMs: 60_000 },
  );
  const now = async (): Promise<number> => {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => 'VmRSS: 0');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024;
  };
  const cpuSeconds = async (): Promise<number> => {
    const fields = (await readFile(`/proc/${child.pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  };
  let most = 0;
  const look = setInterval(() => {
    now().then((bytes) => {
      most = Math.max(most, bytes);
    }, console.error);
  }, 200);
  lifecycle.onStop(`memory of ${name}`, () => clearInterval(look));
  const forget = (): void => {
    most = 0;
  };
  return { url, memory: { now, most: () => most, forget }, cpuSeconds };
}

/** The operator's command; gives what it prints. */
export async function runOperator(
  args: string[],
  env: Record<string, string>,
): Promise<Record<string, string>> {
  const cli = join(serviceFolder('gateway'), 'dist/cli.js');
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, [...FLAGS, cli, ...args], {
    cwd: ROOT,
    env: { ...process.env, ...env },
  });
  return stdout.trim() === '' ? {} : JSON.parse(stdout);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  await exited;
}
