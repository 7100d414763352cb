import { AppError } from '@parley/kit/errors';

/** `409 CONFLICT` for a change that waited too long for concurrent ones [assistants.8]. */
export function concurrentChange(cause?: unknown): AppError {
  const message = 'The assistant was changed concurrently too many times; it is safe to repeat the request';
  return new AppError('CONFLICT', message, { cause });
}
