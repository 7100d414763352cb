import { ERROR_STATUS, type ErrorCode, type ErrorDetail } from '@parley/contracts';

export type AppErrorOptions = {
  details?: ErrorDetail[];
  cause?: unknown;
  /** Becomes `Retry-After`, in real seconds. */
  retryAfterSeconds?: number;
  /** Replaces the error envelope as the body of the response, for the `errorMessage` of [general.11]. */
  httpBody?: Record<string, unknown>;
};

/**
 * The error of the platform: a code of the contract and a message for the client [general.7]. Internals belong in `cause`, which is
 * logged and never sent.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  /** The HTTP status of the code. A property of its own, which Express's middleware assigns. */
  readonly status: number;
  readonly details?: ErrorDetail[];
  readonly retryAfterSeconds?: number;
  readonly httpBody?: Record<string, unknown>;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.status = ERROR_STATUS[code];
    if (options.details) this.details = options.details;
    if (options.retryAfterSeconds !== undefined) this.retryAfterSeconds = options.retryAfterSeconds;
    if (options.httpBody) this.httpBody = options.httpBody;
  }
}

/** `404 NOT_FOUND`; `resource` as in `Assistant`. */
export function notFound(resource: string): AppError {
  return new AppError('NOT_FOUND', `${resource} not found`);
}

/** The result; undefined if it rejects with `NOT_FOUND`. */
export function unlessNotFound<T>(result: Promise<T>): Promise<T | undefined> {
  return result.catch((err: unknown) => {
    if (err instanceof AppError && err.code === 'NOT_FOUND') return undefined;
    throw err;
  });
}

/** `409 CONFLICT`; the message names the conflict. */
export function conflict(message: string): AppError {
  return new AppError('CONFLICT', message);
}

/** `422 VALIDATION_FAILED`; the message names the first offending field [general.7]. */
export function validationFailed(details: ErrorDetail[], cause?: unknown): AppError {
  const short = details.map(withShortPath);
  const first = short[0];
  return new AppError('VALIDATION_FAILED', first ? nameField(first) : 'The request is not valid', {
    details: short,
    cause,
  });
}

/** Paths contain names that the client chose; each detail has its path twice. */
const MAX_PATH = 200;

function withShortPath(detail: ErrorDetail): ErrorDetail {
  const { path, message } = detail;
  if (path.length <= MAX_PATH) return detail;
  // Not within a pair of surrogates.
  const cut = `${path.slice(0, MAX_PATH - 1).replace(/[\ud800-\udbff]$/, '')}…`;
  return { ...detail, path: cut, message: message.replaceAll(path, () => cut) };
}

function nameField({ path, message }: ErrorDetail): string {
  const named = path === '' || message.startsWith(`${path} `) || message.split(/[^\w.-]+/).includes(path);
  return named ? message : `${path}: ${message}`;
}
