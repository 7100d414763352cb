import { createDedicatedConnection } from '../db/index.ts';
import type { Lifecycle } from '../lifecycle/index.ts';
import type { Log } from '../log/index.ts';
import type { Metrics } from './create-metrics.ts';
import { sampled } from './sampled.ts';

/** What a service's tables tell, the same from every replica: dashboards take the maximum. */
export type DatabaseGauge = {
  name: string;
  help: string;
  /** Rows of `value` and, where the gauge has a label, its value under the label's name. Must be found by an index. */
  query: string;
  values?: () => unknown[];
  label?: string;
};

export type DatabaseGaugesOptions = { metrics: Metrics; databaseUrl: string; log: Log; lifecycle: Lifecycle };

/** No statement of a scrape may read a table whole, or wait long. */
const SETTINGS = { jit: 'off', enable_seqscan: 'off', lock_timeout: '1s' };
const STATEMENT_TIMEOUT_MS = 2_000;

/** Counting stops here: beyond it the number only means "very many". */
export const COUNTED_TO = 10_000;

/** A count of rows that costs the same however many there are. `rows`: FROM, WHERE and an ORDER BY of their index. */
export function boundedCount(rows: string): string {
  return `SELECT count(*)::int AS value FROM (SELECT 1 ${rows} LIMIT ${COUNTED_TO}) AS counted`;
}

/**
 * Whether the database answers (`parley_database_up`), and gauges of what is in it. They have a connection of their own,
 * which the first scrape opens: a busy pool doesn't hide what keeps it busy.
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
  metrics.gauge('parley_database_up', 'Whether the database answers', [], async (gauge) =>
    gauge.set(Number((await isUp()) ?? false)),
  );
  for (const { name, help, query, values = () => [], label } of gauges) {
    const ask = sampled(async () => (await connection.query(query, values())).rows);
    metrics.gauge(name, help, label ? [label] : [], async (gauge) => {
      const rows = await ask();
      gauge.reset();
      // What isn't known is not a zero.
      if (!rows) return label ? undefined : gauge.set(Number.NaN);
      for (const row of rows) gauge.set(label ? { [label]: String(row[label]) } : {}, Number(row.value));
    });
  }
}
