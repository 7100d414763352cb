import { setTimeout as sleep } from 'node:timers/promises';
import { type Background, lastLines, startInBackground } from '../processes/background.ts';
import type { PidFiles } from '../processes/pid-files.ts';
import { Problem } from '../terminal/problem.ts';
import { findProgram } from './installed-program.ts';
import { probe } from './probe.ts';
import { SERVERS, type ServerKind } from './server-kinds.ts';

/** The settings of a private server. */
export type PrivateSetting = {
  /** Its folder, which it has for itself. */
  folder: string;
  /** The password of the user `parley`. */
  password: string;
  /** Whether its data must survive a restart; otherwise it is tuned for speed. */
  keepData: boolean;
  /** Whether to keep its data in memory, where there is room for that. */
  inMemory?: boolean;
  /** A name that is unique on this machine. */
  name: string;
  pidFiles: PidFiles;
  /** Its port on loopback; any free port by default. */
  port?: number;
  /** Aborts when it is no longer needed, possibly before it is ready. */
  signal: AbortSignal;
};

type Launch = {
  kind: ServerKind;
  command: [string, ...string[]];
  env?: NodeJS.ProcessEnv;
  uid?: number;
  gid?: number;
  logFile: string;
  stopSignal: NodeJS.Signals;
  /** A part of its command line that no other process has. */
  marker: string;
};

/** Several times what a busy machine takes; a server that exits is noticed at once. */
const READY_WITHIN_MS = 150_000;

/** Starts a server and waits until it responds at `url`; returns a function that stops it. */
export async function launch(
  given: Launch,
  url: string,
  { pidFiles, signal }: PrivateSetting,
): Promise<() => Promise<void>> {
  const { kind, command, logFile, stopSignal, marker, ...rest } = given;
  const server = startInBackground(withDeathSignal(stopSignal, command), { ...rest, logFile });
  pidFiles.add(kind, server.pid, marker);
  const stop = async () => {
    await server.stop(stopSignal, 20_000);
    pidFiles.remove(kind);
  };
  try {
    await waitUntilReady(kind, url, server, signal);
  } catch (error) {
    await stop();
    signal.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    throw new Problem(
      `${lastLines(logFile)}\n\nA private ${SERVERS[kind].title} did not start: ${reason}. See ${logFile}`,
    );
  }
  return stop;
}

async function waitUntilReady(
  kind: ServerKind,
  url: string,
  server: Background,
  signal: AbortSignal,
): Promise<void> {
  const giveUpAt = performance.now() + READY_WITHIN_MS;
  for (;;) {
    try {
      await probe(kind, url);
      return;
    } catch (error) {
      if (server.hasExited()) throw new Error('it has exited', { cause: error });
      if (performance.now() > giveUpAt) throw error;
    }
    await sleep(50, undefined, { signal });
  }
}

/** On Linux the kernel ends the server when we exit, even by SIGKILL; elsewhere the next start ends it. */
export function withDeathSignal(
  signal: NodeJS.Signals,
  command: [string, ...string[]],
): [string, ...string[]] {
  const setpriv = process.platform === 'linux' ? findProgram('setpriv') : undefined;
  return setpriv ? [setpriv, '--pdeathsig', signal.replace('SIG', ''), '--', ...command] : command;
}
