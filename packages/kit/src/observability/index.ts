export { createMetrics, type Metrics } from './create-metrics.ts';
export { startTracing, type TracingOptions, traceHeaders, withParent, withSpan } from './tracing.ts';
