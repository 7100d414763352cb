import { ConfigError } from '../config/index.ts';
import { createLogger, gatheredOutput, type Log } from '../log/index.ts';
import { monotonicMs } from '../time/index.ts';
import { createLifecycle, type Lifecycle } from './create-lifecycle.ts';

const DEFAULT_DEADLINE_MS = 30_000;
/** Ctrl-C reaches a child twice, from the terminal and from its parent: that is one signal, not two. */
const SAME_SIGNAL_MS = 300;

/**
 * The whole life of a service's process. `start` opens what it needs and registers each release; SIGTERM and SIGINT
 * release and exit 0, a second signal exits at once, a failed start releases what was opened and exits 1.
 * The log level and the deadline are set by `start`, once it has read the configuration.
 */
export async function runMain(
  name: string,
  start: (lifecycle: Lifecycle, log: Log) => Promise<void>,
): Promise<void> {
  const log = createLogger({ service: name, level: 'info', destination: gatheredOutput() });
  const lifecycle = createLifecycle(log, { deadlineMs: DEFAULT_DEADLINE_MS });
  const leave = async (reason: string, code: number): Promise<void> => {
    await lifecycle.stop(reason);
    process.exit(code);
  };
  exitOnSignals(leave);
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (err: unknown) => {
      log.fatal({ err }, 'unexpected error, the process ends');
      void leave(event, 1);
    });
  }
  try {
    await start(lifecycle, log);
  } catch (err) {
    if (lifecycle.signal.aborted) return; // A signal during the start made it fail: that stop is under way.
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
