import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { unhandledRejections } from './unhandled-rejections.ts';

export type Metrics = {
  registry: Registry;
  /** Duration of requests; `route` is the pattern (`/v2/call/:id`), never the path. */
  httpDuration: Histogram<'method' | 'route' | 'status'>;
  /** The circuit breaker of each called service: 1 while it is open and rejects calls. */
  circuitOpen: Gauge<'peer'>;
  /** Connections that were closed without a response, by the limit that they were over. */
  connectionsClosed: Counter<'limit'>;
  counter<L extends string = never>(name: string, help: string, labels?: readonly L[]): Counter<L>;
  /** `collect` runs at every scrape and sets the gauge. */
  gauge<L extends string = never>(
    name: string,
    help: string,
    labels?: readonly L[],
    collect?: (gauge: Gauge<L>) => void | Promise<void>,
  ): Gauge<L>;
  /** `buckets` in the metric's unit, seconds by default. */
  histogram<L extends string = never>(
    name: string,
    help: string,
    labels?: readonly L[],
    buckets?: readonly number[],
  ): Histogram<L>;
};

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * The metrics of one service, in a registry of its own, since tests boot several services in one process. Names are snake_case with the
 * unit at the end (`parley_outbox_age_seconds`).
 */
export function createMetrics(service: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  new Counter({
    name: 'parley_unhandled_rejections_total',
    help: 'Errors of asynchronous work that no code handled',
    registers,
    collect() {
      this.reset();
      this.inc(unhandledRejections());
    },
  });

  const histogram: Metrics['histogram'] = (name, help, labelNames = [], buckets = SECONDS) =>
    new Histogram({ name, help, labelNames, buckets: [...buckets], registers });

  return {
    registry,
    histogram,
    httpDuration: histogram('http_request_duration_seconds', 'Duration of requests', [
      'method',
      'route',
      'status',
    ]),
    circuitOpen: new Gauge({
      name: 'parley_peer_circuit_open',
      help: 'Whether the circuit breaker rejects calls of a service',
      labelNames: ['peer'],
      registers,
    }),
    connectionsClosed: new Counter({
      name: 'parley_connections_closed_total',
      help: 'Connections closed without a response because they were over a limit',
      labelNames: ['limit'],
      registers,
    }),
    counter: (name, help, labelNames = []) => new Counter({ name, help, labelNames, registers }),
    gauge: <L extends string = never>(
      name: string,
      help: string,
      labelNames: readonly L[] = [],
      collect?: (gauge: Gauge<L>) => void | Promise<void>,
    ) => {
      const gauge: Gauge<L> = new Gauge({
        name,
        help,
        labelNames,
        registers,
        ...(collect ? { collect: () => collect(gauge) } : {}),
      });
      return gauge;
    },
  };
}
