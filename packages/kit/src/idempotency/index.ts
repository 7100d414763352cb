export { type AnswerOnce, answerOnce, type HashedBody } from './answer-once.ts';
export { createIdempotencyStore, type IdempotencyStoreDeps } from './create-store.ts';
export { type Idempotency, noIdempotency } from './idempotency.ts';
export { IDEMPOTENCY_HEADER, parseIdempotencyKey } from './key.ts';
export type { Begun, Claim, Fits, IdempotencyScope, IdempotencyStore, StoredAnswer } from './store.ts';
