/** Every error code and its HTTP status [general.9]. */
export const ERROR_STATUS = {
  BAD_REQUEST: 400,
  UNAUTHORIZED: 401,
  SECOND_FACTOR_REQUIRED: 401,
  FORBIDDEN: 403,
  DO_NOT_CALL: 403,
  NOT_FOUND: 404,
  CAMPAIGN_NOT_FOUND: 404,
  AGENT_NOT_FOUND: 404,
  PHONE_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  CONFLICT: 409,
  IDEMPOTENCY_IN_PROGRESS: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  EXPECTATION_FAILED: 417,
  VALIDATION_FAILED: 422,
  IDEMPOTENCY_KEY_REUSED: 422,
  RATE_LIMITED: 429,
  CONCURRENCY_LIMIT: 429,
  HEADERS_TOO_LARGE: 431,
  INTERNAL_ERROR: 500,
  CREATE_FAILED: 500,
  CONTACTS_INSERT_FAILED: 500,
  CARRIER_ERROR: 502,
  SERVICE_UNAVAILABLE: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** What each code means, for the API reference. */
export const ERROR_MEANING: Readonly<Record<ErrorCode, string>> = {
  BAD_REQUEST: 'Malformed HTTP/1.1 request; the connection is closed',
  UNAUTHORIZED: 'Missing, invalid, revoked or expired credentials',
  SECOND_FACTOR_REQUIRED: 'The password is correct, but the account has a second factor: send a code',
  FORBIDDEN:
    'The credentials do not permit this request: a public key, an insufficient role, a session without its CSRF ' +
    'token, or an expired link',
  DO_NOT_CALL: "The number is on the workspace's do-not-call list",
  NOT_FOUND: 'The resource does not exist, or it belongs to another workspace',
  CAMPAIGN_NOT_FOUND: 'The campaign does not exist, or it belongs to another workspace',
  AGENT_NOT_FOUND: 'The assistant does not exist, or it belongs to another workspace',
  PHONE_NOT_FOUND: 'The phone number does not exist, or it belongs to another workspace',
  METHOD_NOT_ALLOWED: 'The path does not support this method; `Allow` lists the methods that it supports',
  REQUEST_TIMEOUT: 'The request did not arrive in time; the connection is closed',
  CONFLICT: 'The request conflicts with the current state; see `message`',
  IDEMPOTENCY_IN_PROGRESS: 'The first request with this `Idempotency-Key` is still running',
  PAYLOAD_TOO_LARGE: 'The request body is too large',
  UNSUPPORTED_MEDIA_TYPE: 'The request body is compressed, or its charset is not UTF-8',
  EXPECTATION_FAILED: 'Only `Expect: 100-continue` is supported; the connection is closed',
  VALIDATION_FAILED: 'Validation failed; `details` lists every error',
  IDEMPOTENCY_KEY_REUSED: 'This `Idempotency-Key` was used before with a different body',
  RATE_LIMITED: 'Too many requests; wait for the number of seconds in `Retry-After`',
  CONCURRENCY_LIMIT: 'The workspace has reached its maximum number of concurrent calls',
  HEADERS_TOO_LARGE: 'The request headers are too large; the connection is closed',
  INTERNAL_ERROR: 'Unexpected server error',
  CREATE_FAILED: 'The campaign could not be created; nothing was stored',
  CONTACTS_INSERT_FAILED: 'The contacts could not be stored; none of them was added',
  CARRIER_ERROR: 'The carrier is not responding',
  SERVICE_UNAVAILABLE:
    'A service is temporarily unavailable; retry after the number of seconds in `Retry-After`',
};

/** What is wrong with a value [general.7]. Stable: clients may branch on it. */
export type ErrorDetailCode =
  | 'required'
  | 'invalid_type'
  | 'invalid_format'
  | 'too_small'
  | 'too_big'
  | 'not_allowed'
  | 'unknown_id';

/** One validation error [general.7]: `path` is dotted (`contacts.3.phone_number`), `message` is for people. */
export type ErrorDetail = { path: string; code: ErrorDetailCode; message: string };
