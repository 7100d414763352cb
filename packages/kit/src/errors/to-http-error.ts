import type { ErrorCode, ErrorDetail } from '@parley/contracts';
import { AppError } from './app-error.ts';
import { isConnectivityError } from './connectivity.ts';

/** The error envelope (spec: Errors). */
export type ErrorBody = {
  success: false;
  error: { code: ErrorCode; message: string; details?: ErrorDetail[] };
};

export type HttpError = {
  status: number;
  body: ErrorBody | Record<string, unknown>;
  headers: Record<string, string>;
};

/** What a client is told to wait when a dependency is away and nobody knows better. */
const UNAVAILABLE_RETRY_SECONDS = 2;

/**
 * The answer to any error (spec: Errors; D1.1, D1.2). An error that isn't ours tells nothing of itself:
 * 503 where a dependency is down, 500 otherwise. The caller logs it with the request id.
 */
export function toHttpError(err: unknown): HttpError {
  const known = err instanceof AppError ? err : disguise(err);
  const retryAfter =
    known.retryAfterSeconds ?? (known.code === 'SERVICE_UNAVAILABLE' ? UNAVAILABLE_RETRY_SECONDS : undefined);
  return {
    status: known.status,
    body: known.httpBody ?? envelope(known),
    headers: {
      ...(retryAfter === undefined ? {} : { 'retry-after': String(Math.max(0, Math.ceil(retryAfter))) }),
      // Every 401 says what it asks for (RFC 9110, 11.6.1).
      ...(known.status === 401 ? { 'www-authenticate': 'Bearer realm="parley"' } : {}),
    },
  };
}

function disguise(err: unknown): AppError {
  return isConnectivityError(err)
    ? new AppError('SERVICE_UNAVAILABLE', 'The service is not available right now, try again shortly')
    : new AppError('INTERNAL_ERROR', 'Something went wrong on our side');
}

function envelope({ code, message, details }: AppError): ErrorBody {
  return { success: false, error: details ? { code, message, details } : { code, message } };
}
