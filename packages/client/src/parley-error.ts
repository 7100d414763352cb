import type { ErrorCode, ErrorDetail } from '@parley/contracts';

/**
 * A code of the API (codes may be added), or the failure of a request without a response: `NO_CONNECTION`, `TIMEOUT`.
 * `UNEXPECTED_RESPONSE`: the response is not from the API, such as the error page of a proxy.
 */
export type ParleyErrorCode =
  | ErrorCode
  | 'NO_CONNECTION'
  | 'TIMEOUT'
  | 'UNEXPECTED_RESPONSE'
  | (string & Record<never, never>);

type ErrorFields = {
  status?: number;
  details?: readonly ErrorDetail[];
  requestId?: string;
  retryAfterMs?: number | undefined;
  cause?: unknown;
};

/** The error of every rejected method, except for the reason of your own signal. */
export class ParleyError extends Error {
  readonly code: ParleyErrorCode;
  /** HTTP status; 0 without a response. */
  readonly status: number;
  /** All errors of a `VALIDATION_FAILED`. */
  readonly details: readonly ErrorDetail[];
  /** Id of the request in the platform's logs. */
  readonly requestId: string | undefined;
  /** `Retry-After`, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(code: ParleyErrorCode, message: string, fields: ErrorFields = {}) {
    super(message, fields.cause === undefined ? undefined : { cause: fields.cause });
    this.name = 'ParleyError';
    this.code = code;
    this.status = fields.status ?? 0;
    this.details = fields.details ?? [];
    this.requestId = fields.requestId;
    this.retryAfterMs = fields.retryAfterMs;
  }
}
