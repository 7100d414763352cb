export { backoffMs } from './backoff.ts';
export { type BatcherOptions, createBatcher } from './batcher.ts';
export { coalesce } from './coalesce.ts';
export { createDeferred } from './deferred.ts';
export { forEachLimited } from './for-each-limited.ts';
export { createJobLoop, type JobLoop, type JobLoopOptions } from './job-loop.ts';
export { createJobPool, type JobPool, type JobPoolOptions } from './job-pool.ts';
export {
  createKeyedLimiter,
  type KeyedLimiter,
  type KeyedLimiterOptions,
  type ReleaseSlot,
} from './keyed-limiter.ts';
export { createKeyedMutex, type RunExclusiveByKey } from './mutex.ts';
export { type RetryOptions, retry } from './retry.ts';
export { createSingleFlight, type SingleFlight } from './single-flight.ts';
export { createTimeBudget, type TimeBudget, type TimeBudgetRules } from './time-budget.ts';
export { createWakeUp, type WakeUp } from './wake-up.ts';
