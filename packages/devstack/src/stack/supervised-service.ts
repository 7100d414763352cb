import { setTimeout as sleep } from 'node:timers/promises';
import { createDeferred } from '@parley/kit/concurrency';
import { z } from 'zod';
import { type Background, lastLines, rotateLog, startInBackground } from '../processes/background.ts';
import type { PidFiles } from '../processes/pid-files.ts';
import { formatMs } from '../terminal/format-ms.ts';
import { Problem } from '../terminal/problem.ts';
import { FOLLOW_PARENT } from './folders.ts';
import { PortTaken, takenPort } from './port-taken.ts';
import { waitUntilReady } from './readiness.ts';
import { failuresInRow, restartDelayMs } from './restart-delay.ts';

export type ServiceSetting = {
  name: string;
  /** The compiled entry point. */
  main: string;
  env: NodeJS.ProcessEnv;
  /** The port of its readiness probe; 0 for the one that it reports. */
  port: number;
  /** By default the service logs to the terminal. */
  logFile?: string;
  pidFiles: PidFiles;
  print(line: string): void;
};

export type SupervisedService = {
  /** Resolves when the service is ready for the first time; rejects if it can't be started. */
  ready: Promise<void>;
  stop(): Promise<void>;
};

/**
 * Keeps idle services small. A bounded heap makes Node collect garbage earlier, and a leaking service is restarted before it affects
 * the machine. Prisma's query compiler is WebAssembly: with the baseline compiler only it takes about 40 MB less per service, and its
 * plans are cached anyway.
 */
const FLAGS = [
  '--max-old-space-size=256',
  '--max-semi-space-size=4',
  '--liftoff-only',
  '--enable-source-maps',
];
const listening = z.object({ listening: z.number() });
const attention = z.object({ attention: z.string() });
const FIRST_START_FAILURES = 3;
/** A little longer than a service's own deadline. */
const STOP_WITHIN_MS = 32_000;

/** Runs a service and restarts it whenever it dies: immediately the first time, then with growing delays. */
export function superviseService(setting: ServiceSetting): SupervisedService {
  const { name, main, port, logFile, pidFiles, print } = setting;
  const stopping = new AbortController();
  let current: Background | undefined;
  let wasReady = false;
  if (logFile) rotateLog(logFile);

  const startOnce = (onListening: (port: number) => void): Background => {
    const command: [string, ...string[]] = [process.execPath, '--import', FOLLOW_PARENT, ...FLAGS, main];
    const env = { MALLOC_ARENA_MAX: '2', ...setting.env };
    const onMessage = (message: unknown) => {
      const reported = listening.safeParse(message).data?.listening;
      if (reported !== undefined && (port === 0 || reported === port)) onListening(reported);
      const seen = attention.safeParse(message).data;
      if (seen) print(`  ${name}: ${seen.attention}`);
    };
    const service = startInBackground(command, { env, onMessage, ...(logFile ? { logFile } : {}) });
    pidFiles.add(name, service.pid, main);
    return service;
  };

  const run = async (): Promise<void> => {
    for (let failures = 0; !stopping.signal.aborted; ) {
      const began = performance.now();
      const isListening = createDeferred<number>();
      const service = startOnce(isListening.resolve);
      current = service;
      const gone = new AbortController();
      void service.exited.then(() => {
        gone.abort();
        isListening.reject(new Error('gone'));
      });
      const becomesReady = isListening.promise.then((at) =>
        waitUntilReady(`http://127.0.0.1:${at}/readyz`, gone.signal),
      );
      await becomesReady.then(
        () => {
          if (wasReady) print(`  ${name} is back after ${formatMs(performance.now() - began)}`);
          wasReady = true;
          first.resolve();
        },
        () => undefined,
      );
      const { code, signal } = await service.exited;
      if (stopping.signal.aborted) return;
      const taken = wasReady ? undefined : await takenPort(setting.env);
      if (taken !== undefined) return void first.reject(new PortTaken(taken, name));
      failures = failuresInRow(failures, performance.now() - began);
      const log = logFile ? `\n${lastLines(logFile)}\n` : '';
      if (!wasReady && failures >= FIRST_START_FAILURES) {
        first.reject(new Problem(`${log}\nThe service ${name} does not start. See ${logFile ?? 'above'}`));
        return;
      }
      print(
        `${code === null || !wasReady ? '' : log}  ${name} has died (${signal ?? `exit ${code}`}), starting it again`,
      );
      await sleep(restartDelayMs(failures), undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };

  const first = createDeferred();
  const running = run();
  const stop = async () => {
    stopping.abort();
    first.reject(new Error('stopped'));
    await current?.stop('SIGTERM', STOP_WITHIN_MS);
    await running;
    pidFiles.remove(name);
  };
  return { ready: first.promise, stop };
}
