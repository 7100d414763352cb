export { createMetrics, type Metrics } from './create-metrics.ts';
export {
  addDatabaseGauges,
  boundedCount,
  type DatabaseGauge,
  type DatabaseGaugesOptions,
} from './database-gauges.ts';
export { sampled } from './sampled.ts';
export {
  isTracing,
  linksTo,
  recordSpan,
  type Span,
  startTracing,
  type TracingOptions,
  traceHeaders,
  traceIdOf,
  withParent,
  withSpan,
} from './tracing.ts';
