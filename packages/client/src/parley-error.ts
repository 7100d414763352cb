import type { ErrorCode, ErrorDetail } from '@parley/contracts';

/**
 * A code of the API (codes may be added), or what became of a request that has no answer: `NO_CONNECTION`, `TIMEOUT`;
 * `UNEXPECTED_ANSWER` is none that the API gives, such as the page of a proxy.
 */
export type ParleyErrorCode =
  | ErrorCode
  | 'NO_CONNECTION'
  | 'TIMEOUT'
  | 'UNEXPECTED_ANSWER'
  | (string & Record<never, never>);

type ErrorFields = {
  status?: number;
  details?: readonly ErrorDetail[];
  requestId?: string;
  retryAfterMs?: number | undefined;
  cause?: unknown;
};

/** Whatever a method rejects with, but for the reason of your own signal. */
export class ParleyError extends Error {
  readonly code: ParleyErrorCode;
  /** HTTP status; 0 where there was no answer. */
  readonly status: number;
  /** Of `VALIDATION_FAILED`: each finding. */
  readonly details: readonly ErrorDetail[];
  /** What the request is known by in the logs of the platform. */
  readonly requestId: string | undefined;
  /** How long the platform asks to be left alone, in milliseconds. */
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
