import type { Counter } from 'prom-client';
import type { Sql } from '../db/index.ts';
import { boundedCount, type Metrics, sampled } from '../observability/index.ts';

export type OutboxMetrics = { published: Counter<'type'> };

const OLDEST = `
  SELECT coalesce(extract(epoch FROM clock_timestamp() - min(created_at)), 0)::float8 AS value
  FROM (SELECT created_at FROM outbox ORDER BY id LIMIT 1) AS oldest`;
const WAITING = boundedCount('FROM outbox ORDER BY id');

/** What was published, how much waits and for how long: the numbers that tell of a stuck bus. */
export function outboxMetrics(metrics: Metrics, sql: Sql): OutboxMetrics {
  const gauge = (name: string, help: string, query: string): void => {
    const ask = sampled(() => sql.$queryRawUnsafe<{ value: number }[]>(query));
    // A scrape says what it can: without the database nothing is known.
    metrics.gauge(name, help, [], async (it) => it.set((await ask())?.[0]?.value ?? Number.NaN));
  };
  gauge('parley_outbox_age_seconds', 'Age of the oldest message that is not published', OLDEST);
  gauge('parley_outbox_messages', 'Messages that are not published, counted to 10,000', WAITING);
  return {
    published: metrics.counter('parley_outbox_published_total', 'Messages confirmed by the broker', ['type']),
  };
}
