import type { Metrics } from '@parley/kit/observability';
import type { OnAttempt } from './domain/delivery/attempt-delivery.ts';

/** An attempt ends after 12 s at the latest. */
const DURATIONS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];
const DELAYS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** What is measured of every attempt. */
export function createDeliveryMetrics(metrics: Metrics): OnAttempt {
  const durations = metrics.histogram(
    'parley_webhook_attempt_duration_seconds',
    'From resolving to the last byte of the answer, by what came of it',
    ['reason'],
    DURATIONS,
  );
  const delays = metrics.histogram(
    'parley_webhook_delay_seconds',
    'From the instant at which an event was due to its attempt',
    [],
    DELAYS,
  );
  return ({ reason, durationMs, lateMs }) => {
    durations.observe({ reason }, durationMs / 1_000);
    delays.observe(lateMs / 1_000);
  };
}
