import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EdgeSettings, edgeCommand } from '../edge-command.ts';

const READY_WITHIN_MS = 10_000;

/** Kamailio's program, where it is installed. */
export const kamailio = ['/usr/sbin/kamailio', '/usr/local/sbin/kamailio'].find(existsSync);

export type RunningEdge = {
  /** Of the main process; its children end with it. */
  pid: number;
  /** What it has logged so far. */
  log(): string;
  /** SIGKILL to all of its processes. */
  kill(): Promise<void>;
  stop(): Promise<void>;
};

/** Starts an edge on loopback, and waits until it responds. */
export async function startEdge(settings: Omit<EdgeSettings, 'runFolder'>): Promise<RunningEdge> {
  const runFolder = mkdtempSync(join(tmpdir(), 'parley-edge-'));
  // A process group of its own, so that `kill` reaches its children; the kernel ends it with this process.
  const command = [kamailio ?? 'kamailio', ...edgeCommand({ ...settings, runFolder })];
  const child = spawn('setpriv', ['--pdeathsig', 'TERM', '--', ...command], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-100_000);
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const end = async (signal: 'SIGKILL' | 'SIGTERM') => {
    signalGroup(child, signal);
    await Promise.race([exited, sleep(5_000, undefined, { ref: false })]);
    signalGroup(child, 'SIGKILL');
    rmSync(runFolder, { recursive: true, force: true });
  };
  try {
    await untilHealthy(`http://${settings.internalAddress}:${settings.internalPort}/healthz`, child);
  } catch (err) {
    await end('SIGKILL');
    throw new Error(`Kamailio did not start:\n${output.slice(-2_000)}`, { cause: err });
  }
  return { pid: child.pid ?? -1, log: () => output, kill: () => end('SIGKILL'), stop: () => end('SIGTERM') };
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (child.pid) process.kill(-child.pid, signal);
  } catch {
    // It has ended.
  }
}

async function untilHealthy(url: string, child: ChildProcess): Promise<void> {
  const giveUpAt = performance.now() + READY_WITHIN_MS;
  for (;;) {
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(1_000) });
      if (response.ok) return;
    } catch (err) {
      if (child.exitCode !== null || performance.now() > giveUpAt) throw err;
    }
    await sleep(50);
  }
}
