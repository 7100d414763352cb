import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AnyEndpoint } from '@parley/contracts';
import { AppError } from '../errors/index.ts';
import { contextOf } from './request-context.ts';
import { sendError } from './send-response.ts';

/**
 * Responds with the error envelope, or closes the connection if the response has begun. `fallback`: an endpoint of the same path, where
 * the method has none.
 */
export function respondWithError(
  err: unknown,
  req: IncomingMessage,
  res: ServerResponse,
  fallback?: AnyEndpoint,
): void {
  const context = contextOf(req);
  if (res.headersSent) {
    context.log.warn({ err }, 'response aborted');
    res.destroy();
    return;
  }
  const { status, code } = sendError(res, err, (context.endpoint ?? fallback)?.legacy === true);
  context.errorCode = code;
  if (status === 500 && !(err instanceof AppError && err.cause === undefined))
    context.log.error({ err }, 'request failed');
  else if (status >= 500) context.log.warn({ err }, 'request rejected: dependency unavailable');
}
