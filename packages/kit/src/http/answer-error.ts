import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AnyEndpoint } from '@parley/contracts';
import { AppError } from '../errors/index.ts';
import { sendError } from './answer.ts';
import { contextOf } from './request-context.ts';

/** Answers what was thrown, or breaks off the answer that had begun. `fallback`: of the path, where the method has no endpoint. */
export function answerError(
  err: unknown,
  req: IncomingMessage,
  res: ServerResponse,
  fallback?: AnyEndpoint,
): void {
  const context = contextOf(req);
  if (res.headersSent) {
    context.log.warn({ err }, 'answer broke off');
    res.destroy();
    return;
  }
  const { status, code } = sendError(res, err, (context.endpoint ?? fallback)?.legacy === true);
  context.errorCode = code;
  if (status === 500 && !(err instanceof AppError && err.cause === undefined))
    context.log.error({ err }, 'request failed');
  else if (status >= 500) context.log.warn({ err }, 'request not served');
}
