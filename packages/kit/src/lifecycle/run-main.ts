import { ConfigError } from '../config/index.ts';
import { bufferedOutput, createLogger, type Log } from '../log/index.ts';
import { noteUnhandledRejection } from '../observability/unhandled-rejections.ts';
import { monotonicMs } from '../time/index.ts';
import { createLifecycle, type Lifecycle } from './create-lifecycle.ts';

const DEFAULT_DEADLINE_MS = 30_000;
/** Ctrl-C reaches a child twice, from the terminal and from its parent; within this time both count as one signal. */
const SAME_SIGNAL_MS = 300;

/**
 * The whole life of a service's process. `start` opens resources and registers their releases. SIGTERM and SIGINT release them and exit
 * 0, a second signal exits at once, and a failed start releases what was opened and exits 1.
 *
 * An uncaught exception leaves an unknown state: release and exit 1. An unhandled rejection belongs to one piece of work: after the start
 * it is logged and counted, and the process continues with its other work (ADR 31). `start` sets the log level and the deadline after
 * it has read the configuration.
 */
export async function runMain(
  name: string,
  start: (lifecycle: Lifecycle, log: Log) => Promise<void>,
): Promise<void> {
  const log = createLogger({ service: name, level: 'info', destination: bufferedOutput() });
  const lifecycle = createLifecycle(log, { deadlineMs: DEFAULT_DEADLINE_MS });
  const leave = async (reason: string, code: number): Promise<void> => {
    await lifecycle.stop(reason, { failed: code !== 0 });
    process.exit(code);
  };
  let started = false;
  const fail = (event: string, err: unknown): void => {
    log.fatal({ err }, 'unexpected error, stopping');
    void leave(event, 1);
  };
  exitOnSignals(leave);
  process.on('uncaughtException', (err) => fail('uncaughtException', err));
  process.on('unhandledRejection', (err) => {
    if (!started) return fail('unhandledRejection', err);
    noteUnhandledRejection();
    log.error({ err }, 'unhandled rejection');
  });
  try {
    await start(lifecycle, log);
    started = true;
  } catch (err) {
    if (lifecycle.signal.aborted) return; // A signal during the start: already stopping.
    if (err instanceof ConfigError) log.fatal({ problems: err.problems }, err.message);
    else log.fatal({ err }, 'start failed');
    await leave('start failed', 1);
  }
}

function exitOnSignals(leave: (reason: string, code: number) => Promise<void>): void {
  const numbers = { SIGINT: 2, SIGTERM: 15 };
  let firstAtMs: number | undefined;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (firstAtMs === undefined) {
        firstAtMs = monotonicMs();
        void leave(signal, 0);
      } else if (monotonicMs() - firstAtMs > SAME_SIGNAL_MS) {
        process.exit(128 + numbers[signal]);
      }
    });
  }
}
