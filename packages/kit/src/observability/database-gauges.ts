import { createDedicatedConnection } from '../db/index.ts';
import type { Lifecycle } from '../lifecycle/index.ts';
import type { Log } from '../log/index.ts';
import type { Metrics } from './create-metrics.ts';
import { sampled } from './sampled.ts';

/** A gauge of the service's tables. Every replica exports the same value: dashboards take the maximum. */
export type DatabaseGauge = {
  name: string;
  help: string;
  /** Selects `value` and, if the gauge has a label, a column of its name. Needs an index. */
  query: string;
  values?: () => unknown[];
  label?: string;
};

export type DatabaseGaugesOptions = { metrics: Metrics; databaseUrl: string; log: Log; lifecycle: Lifecycle };

/** Keeps the statements of a scrape from scanning a table and from waiting. */
const SETTINGS = { jit: 'off', enable_seqscan: 'off', lock_timeout: '1s' };
const STATEMENT_TIMEOUT_MS = 2_000;

/** Upper bound of a count. */
const COUNTED_TO = 10_000;

/** SQL of a count with an upper bound, and so with a bounded cost. `rows`: FROM, WHERE, and the ORDER BY of an index. */
export function boundedCount(rows: string): string {
  return `SELECT count(*)::int AS value FROM (SELECT 1 ${rows} LIMIT ${COUNTED_TO}) AS counted`;
}

/**
 * Adds `parley_database_up` and the given gauges. They use a connection of their own, which the first scrape opens, so that they work
 * while the pool is exhausted.
 */
export function addDatabaseGauges(options: DatabaseGaugesOptions, gauges: readonly DatabaseGauge[]): void {
  const { metrics, databaseUrl, log, lifecycle } = options;
  const connection = createDedicatedConnection({
    databaseUrl,
    name: 'metrics',
    log,
    lifecycle,
    settings: SETTINGS,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  });
  const isUp = sampled(async () => (await connection.query('SELECT 1')).rowCount === 1);
  metrics.gauge('parley_database_up', 'Whether the database responds', [], async (gauge) =>
    gauge.set(Number((await isUp()) ?? false)),
  );
  for (const { name, help, query, values = () => [], label } of gauges) {
    const sample = sampled(async () => (await connection.query(query, values())).rows);
    metrics.gauge(name, help, label ? [label] : [], async (gauge) => {
      const rows = await sample();
      gauge.reset();
      // An unknown value is not zero.
      if (!rows) return label ? undefined : gauge.set(Number.NaN);
      for (const row of rows) gauge.set(label ? { [label]: String(row[label]) } : {}, Number(row.value));
    });
  }
}
