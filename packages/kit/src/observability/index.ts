export { createMetrics, type Metrics } from './create-metrics.ts';
export { addDatabaseGauges, boundedCount, type DatabaseGauge } from './database-gauges.ts';
export { sampled } from './sampled.ts';
export {
  isTracing,
  linksTo,
  recordSpan,
  type Span,
  startTracing,
  traceHeaders,
  traceIdOf,
  withParent,
  withSpan,
} from './tracing.ts';
