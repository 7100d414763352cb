import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export type Background = {
  pid: number;
  /** Resolves when the process has exited. */
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  hasExited(): boolean;
  /** Signals it, and kills it if it is still running after the deadline. */
  stop(signal: NodeJS.Signals, deadlineMs: number): Promise<void>;
};

type Options = {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  uid?: number;
  gid?: number;
  /** The file for its output; our own terminal by default. */
  logFile?: string;
  /** Opens an IPC channel and receives its messages. */
  onMessage?: (message: unknown) => void;
};

/**
 * Starts a process in a group of its own: a Ctrl-C at the terminal only reaches us, and we decide when each process stops.
 * It writes to its log file directly, so that its log continues even if we die.
 */
export function startInBackground(command: [string, ...string[]], options: Options): Background {
  const { logFile, onMessage, ...rest } = options;
  const output = logFile === undefined ? 'inherit' : openLog(logFile);
  const [program, ...args] = command;
  const child = spawn(program, args, {
    ...rest,
    detached: true,
    stdio: ['ignore', output, output, ...(onMessage ? (['ipc'] as const) : [])],
  });
  if (typeof output === 'number') closeSync(output);
  if (onMessage) child.on('message', onMessage);
  child.channel?.unref();
  const exited = endOf(child);
  let ended = false;
  void exited.then(() => {
    ended = true;
  });
  const stop = async (signal: NodeJS.Signals, deadlineMs: number) => {
    if (ended) return;
    child.kill(signal);
    const timer = new AbortController();
    const late = sleep(deadlineMs, 'late', { signal: timer.signal }).catch(() => 'stopped');
    if ((await Promise.race([exited, late])) === 'late') child.kill('SIGKILL');
    timer.abort();
    await exited;
  };
  return { pid: child.pid ?? -1, exited, hasExited: () => ended, stop };
}

function endOf(child: ChildProcess): Background['exited'] {
  return new Promise((resolve) => {
    child.once('error', () => resolve({ code: 127, signal: null }));
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
}

function openLog(file: string): number {
  mkdirSync(dirname(file), { recursive: true });
  return openSync(file, 'a', 0o600);
}

/** Renames the log of an earlier run to `<file>.1`. */
export function rotateLog(file: string): void {
  if (existsSync(file)) renameSync(file, `${file}.1`);
}

/** The last lines of a log, for the terminal. */
export function lastLines(file: string, count = 15): string {
  if (!existsSync(file)) return '';
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-count).join('\n');
}
