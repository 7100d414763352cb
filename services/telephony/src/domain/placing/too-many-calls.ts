import { AppError } from '@parley/kit/errors';

/** When another try stands a chance: some call has to end first. */
const RETRY_AFTER_SECONDS = 5;

/** `429 CONCURRENCY_LIMIT` (D1.6). */
export function tooManyCalls(limit: number): AppError {
  return new AppError('CONCURRENCY_LIMIT', `This workspace has ${limit} calls at once, which is its limit`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
