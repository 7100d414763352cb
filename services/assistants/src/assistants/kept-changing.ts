import { AppError } from '@parley/kit/errors';

/** `409 CONFLICT` for a change that waited too long for concurrent ones [assistants.8]. */
export function keptChanging(cause?: unknown): AppError {
  const message =
    'The assistant kept changing while this was being saved; repeating the same request is safe';
  return new AppError('CONFLICT', message, { cause });
}
