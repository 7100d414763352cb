import { createLifecycle, type Lifecycle } from '@parley/kit/lifecycle';
import { createLogger, type Log } from '@parley/kit/log';

const STOP_DEADLINE_MS = 30_000;

/**
 * Runs a benchmark, which answers whether its bars were met, and closes what it has opened, also when it is told to stop.
 * The exit code tells whether all went well.
 */
export async function runBench(bench: (lifecycle: Lifecycle, log: Log) => Promise<boolean>): Promise<void> {
  const log = createLogger({ service: 'bench', level: 'warn' });
  const lifecycle = createLifecycle(log, { deadlineMs: STOP_DEADLINE_MS });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void lifecycle.stop(signal).then(() => process.exit(1)));
  }
  try {
    process.exitCode = (await bench(lifecycle, log)) ? 0 : 1;
  } finally {
    await lifecycle.stop('the benchmark is over');
  }
}
