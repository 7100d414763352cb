export { atRate, timesAtRate } from './at-rate.ts';
export { type Latencies, summarize, toLine } from './latencies.ts';
export { postgresMs, processorMs } from './processor-time.ts';
export { createRandom, type Random } from './random.ts';
export { retryingSql } from './retrying-sql.ts';
export { runBench } from './run-bench.ts';
