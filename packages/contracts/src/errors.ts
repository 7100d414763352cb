/** Every error code of the platform and the HTTP status that it answers with (spec: Errors; D1, D5.2, D6.1, D7.2). */
export const ERROR_STATUS = {
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  DO_NOT_CALL: 403,
  NOT_FOUND: 404,
  CAMPAIGN_NOT_FOUND: 404,
  AGENT_NOT_FOUND: 404,
  PHONE_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  IDEMPOTENCY_IN_PROGRESS: 409,
  PAYLOAD_TOO_LARGE: 413,
  VALIDATION_FAILED: 422,
  IDEMPOTENCY_KEY_REUSED: 422,
  RATE_LIMITED: 429,
  CONCURRENCY_LIMIT: 429,
  INTERNAL_ERROR: 500,
  CREATE_FAILED: 500,
  CONTACTS_INSERT_FAILED: 500,
  CARRIER_ERROR: 502,
  SERVICE_UNAVAILABLE: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

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
