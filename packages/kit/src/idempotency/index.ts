export { createIdempotencyStore, type IdempotencyStoreDeps } from './create-store.ts';
export { createIdempotencySweep } from './create-sweep.ts';
export { type Idempotency, noIdempotency } from './idempotency.ts';
export { IDEMPOTENCY_HEADER, parseIdempotencyKey } from './key.ts';
export { type HashedBody, type RespondOnce, respondOnce } from './respond-once.ts';
export type {
  BeginResult,
  Claim,
  IdempotencyScope,
  IdempotencyStore,
  MatchesBody,
  StoredResponse,
} from './store.ts';
