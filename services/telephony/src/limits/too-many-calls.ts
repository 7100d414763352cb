import { AppError } from '@parley/kit/errors';

const RETRY_AFTER_SECONDS = 5;

/** `429 CONCURRENCY_LIMIT` [general.19]. */
export function tooManyCalls(limit: number): AppError {
  const message = `This workspace has reached its limit of ${limit} concurrent calls`;
  return new AppError('CONCURRENCY_LIMIT', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
