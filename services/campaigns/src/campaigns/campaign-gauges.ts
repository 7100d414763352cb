import { boundedCount, type DatabaseGauge } from '@parley/kit/observability';
import type { Clock } from '@parley/kit/time';
import { dueOfRunning } from '../dispatch/due-contacts.ts';

const OPEN = `state IN ('requested', 'dialled', 'answered')`;
const LIVE = `
  SELECT status, count(*)::int AS value FROM (
    SELECT status FROM campaigns WHERE status IN ('running', 'dormant') ORDER BY id LIMIT 10000
  ) AS live GROUP BY status`;
const ATTEMPTS = `
  SELECT state, count(*)::int AS value
  FROM (SELECT state FROM attempts WHERE ${OPEN} ORDER BY news_at LIMIT 50000) AS open GROUP BY state`;
const OLDEST = `
  SELECT coalesce(greatest(0, extract(epoch FROM $1::timestamptz - min(news_at))), 0)::float8 AS value
  FROM (SELECT news_at FROM attempts WHERE ${OPEN} ORDER BY news_at LIMIT 1) AS oldest`;

/** Backlog gauges; ages follow the stack's clock. */
export function campaignGauges(clock: Clock): DatabaseGauge[] {
  const values = (): unknown[] => [clock.now().toISOString()];
  return [
    {
      name: 'parley_campaigns_live',
      help: 'Campaigns that dial or wait for their hours, by status, counted to 10,000',
      query: LIVE,
      label: 'status',
    },
    {
      name: 'parley_contacts_due',
      help: 'Due contacts of running campaigns, counted to 1,000 per campaign and 10,000 in total',
      query: boundedCount(dueOfRunning(clock.now()).text),
      values: () => dueOfRunning(clock.now()).values,
    },
    {
      name: 'parley_attempts_open',
      help: 'Attempts without an outcome, by state, counted to 50,000',
      query: ATTEMPTS,
      label: 'state',
    },
    {
      name: 'parley_attempts_oldest_event_seconds',
      help: 'Time since the last update of the open attempt that has been silent longest',
      query: OLDEST,
      values,
    },
  ];
}
