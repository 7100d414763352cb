import { boundedCount, type DatabaseGauge } from '@parley/kit/observability';
import type { Clock } from '@parley/kit/time';
import { READY, WAITING } from './ready.ts';

const READY_ROWS = `FROM events WHERE ${READY} ORDER BY workspace_id, agent_id, next_attempt_at, id`;
const WAITING_ROWS = `FROM events WHERE ${WAITING} ORDER BY next_attempt_at`;
const LEASED_ROWS = 'FROM events WHERE lease_until IS NOT NULL ORDER BY workspace_id, agent_id';
const OLDEST_READY = `
  SELECT coalesce(greatest(0, extract(epoch FROM $1::timestamptz - min(next_attempt_at))), 0)::float8 AS value
  FROM (SELECT next_attempt_at ${READY_ROWS} LIMIT 10000) AS due`;

/** What waits in the database of webhooks; ages by the stack's clock. */
export function webhookGauges(clock: Clock): DatabaseGauge[] {
  return [
    {
      name: 'parley_webhooks_due',
      help: 'Events that could be attempted now, counted to 10,000',
      query: boundedCount(READY_ROWS),
    },
    {
      name: 'parley_webhooks_oldest_due_seconds',
      help: 'How long the oldest of the events that are due has been due',
      query: OLDEST_READY,
      values: () => [clock.now().toISOString()],
    },
    {
      name: 'parley_webhooks_scheduled',
      help: 'Events that wait for their time or for an earlier event of their call, counted to 10,000',
      query: boundedCount(WAITING_ROWS),
    },
    {
      name: 'parley_webhooks_under_way',
      help: 'Events that are being attempted, by all replicas together, counted to 10,000',
      query: boundedCount(LEASED_ROWS),
    },
  ];
}
