import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import { AppError } from '../errors/index.ts';
import { contextOf } from './request-context.ts';

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

/** For a path's other methods, after the handler of GET. */
export const allowOnlyGet: RequestHandler = (req, _res, next) => {
  contextOf(req).samePath = [{ method: 'GET' }];
  next();
};
