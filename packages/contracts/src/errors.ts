/** Every error code of the platform and the HTTP status that it answers with (spec: Errors; D1, D5.2, D6.1, D7.2). */
export const ERROR_STATUS = {
  BAD_REQUEST: 400,
  UNAUTHORIZED: 401,
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

/** When each is answered, for the document of the API. */
export const ERROR_MEANING: Readonly<Record<ErrorCode, string>> = {
  BAD_REQUEST: 'What was sent is no request of HTTP/1.1; the connection is closed',
  UNAUTHORIZED: 'No key or session that is good: missing, invalid, inactive or expired',
  FORBIDDEN: 'Not for who asks: a public key, too low a role, a session without its token, or an old link',
  DO_NOT_CALL: "The number is on the workspace's do-not-call list",
  NOT_FOUND: 'There is no such thing, or it is of another workspace',
  CAMPAIGN_NOT_FOUND: 'There is no such campaign, or it is of another workspace',
  AGENT_NOT_FOUND: 'There is no such assistant, or it is of another workspace',
  PHONE_NOT_FOUND: 'There is no such number, or it is of another workspace',
  METHOD_NOT_ALLOWED: 'The path has no such method; `Allow` names those that it has',
  REQUEST_TIMEOUT: 'The request did not arrive in time; the connection is closed',
  CONFLICT: 'What is there stands in the way; the message says what',
  IDEMPOTENCY_IN_PROGRESS: 'The first request with this `Idempotency-Key` is still running',
  PAYLOAD_TOO_LARGE: 'The body is too large',
  EXPECTATION_FAILED: '`Expect` asks for something other than `100-continue`; the connection is closed',
  VALIDATION_FAILED: 'Something that was sent is not as it has to be; `details` names each finding',
  IDEMPOTENCY_KEY_REUSED: 'The `Idempotency-Key` came with another body before',
  RATE_LIMITED: 'Too many requests; wait as long as `Retry-After` says',
  CONCURRENCY_LIMIT: 'The workspace has as many calls at once as it may have',
  HEADERS_TOO_LARGE: 'The headers together are too large; the connection is closed',
  INTERNAL_ERROR: 'Something failed, and it is not your fault; or a page past the last one of a list',
  CREATE_FAILED: 'The campaign could not be created; nothing of it is left',
  CONTACTS_INSERT_FAILED: 'The contacts could not be stored; nothing of them is left',
  CARRIER_ERROR: 'The carrier does not answer',
  SERVICE_UNAVAILABLE: 'A part of the platform is away; try again after `Retry-After`',
};

/** What is wrong with a value (D1.1). Stable: clients may branch on it. */
export type ErrorDetailCode =
  | 'required'
  | 'invalid_type'
  | 'invalid_format'
  | 'too_small'
  | 'too_big'
  | 'not_allowed'
  | 'unknown_id';

/** One finding of a validation: `path` is dotted (`contacts.3.phone_number`), `message` is for people (D1.1). */
export type ErrorDetail = { path: string; code: ErrorDetailCode; message: string };
