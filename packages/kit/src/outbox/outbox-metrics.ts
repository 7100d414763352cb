import type { Counter } from 'prom-client';
import { z } from 'zod';
import { queryRow, raw, type SqlClient, sql } from '../db/index.ts';
import { boundedCount, type Metrics, sampled } from '../observability/index.ts';

export type OutboxMetrics = { published: Counter<'type'>; refused: Counter<'type'> };

const OLDEST = `
  SELECT coalesce(extract(epoch FROM clock_timestamp() - min(created_at)), 0)::float8 AS value
  FROM (SELECT created_at FROM outbox ORDER BY id LIMIT 1) AS oldest`;
const REFUSED = boundedCount('FROM outbox_refused');
const WAITING = boundedCount('FROM outbox ORDER BY id');

const valueRow = z.object({ value: z.number() });

/** Published and refused messages, and the size and age of the queue. */
export function outboxMetrics(metrics: Metrics, client: SqlClient): OutboxMetrics {
  const gauge = (name: string, help: string, query: string): void => {
    const sample = sampled(() => queryRow(client, valueRow, sql`${raw(query)}`));
    metrics.gauge(name, help, [], async (it) => it.set((await sample())?.value ?? Number.NaN));
  };
  gauge('parley_outbox_age_seconds', 'Age of the oldest message that is not published', OLDEST);
  gauge('parley_outbox_messages', 'Messages that are not published, counted to 10,000', WAITING);
  gauge('parley_outbox_refused_messages', 'Messages that the broker refused, counted to 10,000', REFUSED);
  return {
    refused: metrics.counter('parley_outbox_refused_total', 'Messages that the broker refused', ['type']),
    published: metrics.counter('parley_outbox_published_total', 'Messages confirmed by the broker', ['type']),
  };
}
