import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../errors/index.ts';

/** `405 METHOD_NOT_ALLOWED` with `Allow` [general.8]; where GET is allowed, so is HEAD. */
export function methodNotAllowed(
  req: IncomingMessage,
  res: ServerResponse,
  methods: readonly string[],
): AppError {
  const allowed = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  res.setHeader('allow', allowed.join(', '));
  return new AppError('METHOD_NOT_ALLOWED', `${req.method} is not allowed on this path`);
}
