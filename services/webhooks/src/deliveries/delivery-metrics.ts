import { boundedCount, type DatabaseGauge, type Metrics } from '@parley/kit/observability';
import type { Clock } from '@parley/kit/time';
import { READY, WAITING } from '../events/events.store.ts';
import type { OnAttempt } from './deliver.ts';

/** Seconds; an attempt ends after 12 at the latest. */
const DURATIONS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];
const DELAYS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

export function createDeliveryMetrics(metrics: Metrics): OnAttempt {
  const durations = metrics.histogram(
    'parley_webhook_attempt_duration_seconds',
    'From resolving to the last byte of the response, by reason',
    ['reason'],
    DURATIONS,
  );
  const delays = metrics.histogram(
    'parley_webhook_delay_seconds',
    'From the time an event was due to its attempt',
    [],
    DELAYS,
  );
  return ({ reason, durationMs, lateMs }) => {
    durations.observe({ reason }, durationMs / 1_000);
    delays.observe(lateMs / 1_000);
  };
}

const READY_ROWS = `FROM events WHERE ${READY.text} ORDER BY workspace_id, agent_id, next_attempt_at, id`;
const WAITING_ROWS = `FROM events WHERE ${WAITING.text} ORDER BY next_attempt_at`;
const LEASED_ROWS = 'FROM events WHERE lease_until IS NOT NULL ORDER BY workspace_id, agent_id';
const OLDEST_READY = `
  SELECT coalesce(greatest(0, extract(epoch FROM $1::timestamptz - min(next_attempt_at))), 0)::float8 AS value
  FROM (SELECT next_attempt_at ${READY_ROWS} LIMIT 10000) AS due`;

/** Backlog gauges; ages follow the stack's clock. */
export function deliveryGauges(clock: Clock): DatabaseGauge[] {
  return [
    {
      name: 'parley_webhooks_due',
      help: 'Due events, counted to 10,000',
      query: boundedCount(READY_ROWS),
    },
    {
      name: 'parley_webhooks_oldest_due_seconds',
      help: 'Time that the oldest due event has been due',
      query: OLDEST_READY,
      values: () => [clock.now().toISOString()],
    },
    {
      name: 'parley_webhooks_scheduled',
      help: 'Events waiting for their retry time or for an earlier event of their call, counted to 10,000',
      query: boundedCount(WAITING_ROWS),
    },
    {
      name: 'parley_webhooks_in_progress',
      help: 'Attempts in progress, of all replicas together, counted to 10,000',
      query: boundedCount(LEASED_ROWS),
    },
  ];
}
