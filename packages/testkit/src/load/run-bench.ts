import { createLifecycle, type Lifecycle } from '@parley/kit/lifecycle';
import { createLogger, type Log } from '@parley/kit/log';

const STOP_DEADLINE_MS = 30_000;

/**
 * Runs a benchmark, which returns whether it met its thresholds, and releases its resources, including on a signal. Exits with 0 on
 * success.
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
