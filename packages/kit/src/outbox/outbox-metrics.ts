import type { Counter } from 'prom-client';
import type { Sql } from '../db/index.ts';
import type { Metrics } from '../observability/index.ts';

export type OutboxMetrics = { published: Counter<'type'> };

const OLDEST = `
  SELECT coalesce(extract(epoch FROM clock_timestamp() - min(created_at)), 0)::float8 AS seconds
  FROM (SELECT created_at FROM outbox ORDER BY id LIMIT 1) AS oldest`;

/** What was published, and how long the oldest message has been waiting: the one number that tells of a stuck bus. */
export function outboxMetrics(metrics: Metrics, sql: Sql): OutboxMetrics {
  metrics.gauge(
    'parley_outbox_age_seconds',
    'Age of the oldest message that is not published',
    [],
    async (gauge) => {
      // A scrape says what it can: without the database the age is unknown.
      const rows = await sql.$queryRawUnsafe<{ seconds: number }[]>(OLDEST).catch(() => []);
      gauge.set(rows[0]?.seconds ?? Number.NaN);
    },
  );
  return {
    published: metrics.counter('parley_outbox_published_total', 'Messages confirmed by the broker', ['type']),
  };
}
