import { scrub } from './scrub.ts';

/** The logged part of an error. Other properties are dropped, since HTTP clients attach whole requests. */
export type LoggedError = {
  type: string;
  message: string;
  code?: string | number;
  stack?: string;
  cause?: LoggedError;
};

const MAX_CAUSES = 5;

/** Type, message, code, stack and causes of an error, with credentials scrubbed from the texts. */
export function serializeError(err: unknown, depth = 0): LoggedError {
  if (!(err instanceof Error)) return { type: typeof err, message: scrub(String(err)) };
  const { code } = err as { code?: unknown };
  return {
    type: err.name,
    message: scrub(err.message),
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    ...(err.stack ? { stack: scrub(err.stack) } : {}),
    ...(err.cause !== undefined && depth < MAX_CAUSES ? { cause: serializeError(err.cause, depth + 1) } : {}),
  };
}
