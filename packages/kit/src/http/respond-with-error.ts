import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../errors/index.ts';
import { disconnect } from './client-gone.ts';
import { contextOf } from './request-context.ts';
import { sendError } from './send-response.ts';

/** Responds with the error envelope, on legacy routes with the bare status, or closes the connection if the response has begun. */
export function respondWithError(err: unknown, req: IncomingMessage, res: ServerResponse): void {
  const context = contextOf(req);
  if (res.headersSent) {
    abortResponse(err, req, res);
    return;
  }
  const endpoint = context.endpoint ?? context.samePath?.[0];
  const { status, code } = sendError(res, err, endpoint?.legacy === true);
  context.errorCode = code;
  if (status === 500 && !(err instanceof AppError && err.cause === undefined))
    context.log.error({ err }, 'request failed');
  else if (status >= 500) context.log.warn({ err }, 'request rejected: dependency unavailable');
}

/** Closes the connection of a response that cannot be sent to its end, so that a part is never taken for the whole. */
export function abortResponse(err: unknown, req: IncomingMessage, res: ServerResponse): void {
  const context = contextOf(req);
  context.isAborted = true;
  context.log.warn({ err }, 'response aborted');
  disconnect(res);
}
