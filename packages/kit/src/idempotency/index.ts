export { createIdempotencyStore } from './create-store.ts';
export { createIdempotencySweep } from './create-sweep.ts';
export { type Idempotency, noIdempotency } from './idempotency.ts';
export { IDEMPOTENCY_HEADER, parseIdempotencyKey } from './key.ts';
export { type HashedBody, respondOnce } from './respond-once.ts';
export type { IdempotencyStore } from './store.ts';
