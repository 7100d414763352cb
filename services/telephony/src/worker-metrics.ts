import type { Metrics } from '@parley/kit/observability';

/** What a call worker tells of its work. Durations come in real milliseconds. */
export type WorkerMetrics = {
  /** A dial was granted so long after it was asked for. */
  waited(ms: number): void;
  /** A dial left for the carrier, so long after its slot. */
  left(lateMs: number): void;
  /** A call's end is written, whatever ended it. */
  ended(reason: string): void;
  /** A call was ended since its workers die of it. */
  poisoned(): void;
  /** How many calls it holds. */
  holds(count: () => number): void;
};

const WAITS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800];
const LATENESS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

export function createWorkerMetrics(metrics: Metrics): WorkerMetrics {
  const waits = metrics.histogram(
    'parley_dial_wait_seconds',
    'From the request for a dial to its slot: pace, room and business of the workers together',
    [],
    WAITS,
  );
  const lateness = metrics.histogram(
    'parley_dial_lateness_seconds',
    'How long after its slot a dial left for the carrier',
    [],
    LATENESS,
  );
  const dialled = metrics.counter('parley_dials_total', 'Dials that left for the carrier');
  const ended = metrics.counter('parley_calls_ended_total', 'Calls that ended here, by their reason', [
    'reason',
  ]);
  const poisoned = metrics.counter(
    'parley_poison_calls_total',
    'Calls that were ended since worker after worker died at the same step of them',
  );
  return {
    waited: (ms) => waits.observe(ms / 1_000),
    left: (lateMs) => {
      dialled.inc();
      lateness.observe(lateMs / 1_000);
    },
    ended: (reason) => ended.inc({ reason }),
    poisoned: () => poisoned.inc(),
    holds: (count) => {
      metrics.gauge('parley_worker_calls', 'Calls in the hands of this worker', [], (gauge) =>
        gauge.set(count()),
      );
    },
  };
}
