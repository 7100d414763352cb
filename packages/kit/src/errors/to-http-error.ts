import type { ErrorCode, ErrorDetail } from '@parley/contracts';
import { AppError } from './app-error.ts';
import { isConnectivityError } from './connectivity.ts';

/** The error envelope [general.7]. */
export type ErrorBody = {
  success: false;
  error: { code: ErrorCode; message: string; details?: ErrorDetail[] };
};

export type HttpError = {
  status: number;
  body: ErrorBody | Record<string, unknown>;
  headers: Record<string, string>;
};

/** The default `Retry-After` while a dependency is unavailable. */
const UNAVAILABLE_RETRY_SECONDS = 2;

/**
 * The response to any error [general.7]. Errors other than `AppError` are not exposed: 503 if a dependency is down, 500 otherwise. The
 * caller logs them with the request id.
 */
export function toHttpError(err: unknown): HttpError {
  const known = err instanceof AppError ? err : withoutInternals(err);
  const retryAfter =
    known.retryAfterSeconds ?? (known.code === 'SERVICE_UNAVAILABLE' ? UNAVAILABLE_RETRY_SECONDS : undefined);
  return {
    status: known.status,
    body: known.httpBody ?? envelope(known),
    headers: {
      ...(retryAfter === undefined ? {} : { 'retry-after': String(Math.max(0, Math.ceil(retryAfter))) }),
      // Required for every 401 (RFC 9110, 11.6.1).
      ...(known.status === 401 ? { 'www-authenticate': 'Bearer realm="parley"' } : {}),
    },
  };
}

function withoutInternals(err: unknown): AppError {
  return isConnectivityError(err)
    ? new AppError('SERVICE_UNAVAILABLE', 'The service is not available right now, try again shortly')
    : new AppError('INTERNAL_ERROR', 'Something went wrong on our side');
}

function envelope({ code, message, details }: AppError): ErrorBody {
  return { success: false, error: details ? { code, message, details } : { code, message } };
}
