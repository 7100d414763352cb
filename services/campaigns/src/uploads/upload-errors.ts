import type { ErrorDetailCode } from '@parley/contracts';
import { type AppError, validationFailed } from '@parley/kit/errors';

/** `words` follow the field's name ("must be …"). */
export function invalidBody(path: string, code: ErrorDetailCode, words: string): AppError {
  return validationFailed([{ path, code, message: `${path === '' ? 'The body' : path} ${words}` }]);
}

export function malformed(words = 'is not valid JSON', cause?: unknown): AppError {
  return validationFailed([{ path: '', code: 'invalid_format', message: `The body ${words}` }], cause);
}

export function notAnObject(): AppError {
  return invalidBody('', 'invalid_type', 'must be a JSON object');
}

export function tooDeep(path: string, levels: number): AppError {
  return invalidBody(path, 'too_big', `must not be nested deeper than ${levels} levels`);
}
