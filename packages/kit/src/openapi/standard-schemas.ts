import { ERROR_MEANING, ERROR_STATUS } from '@parley/contracts';
import type { JsonSchema } from './json-schema.ts';

const DETAIL = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'Dotted path of the field, such as `contacts.3.phone_number`' },
    code: {
      type: 'string',
      description:
        '`required`, `invalid_type`, `invalid_format`, `too_small`, `too_big`, `not_allowed` or `unknown_id`',
    },
    message: { type: 'string', description: 'For people; starts with the path' },
  },
  required: ['path', 'code', 'message'],
};

const failure = { type: 'boolean', const: false, description: 'True for success, false for errors' };

/** The error envelope [general.7]. */
const ERROR = {
  type: 'object',
  description: 'An error, except on legacy routes, which return a bare status',
  properties: {
    success: failure,
    error: {
      type: 'object',
      description: 'What went wrong',
      properties: {
        code: { type: 'string', description: 'Branch on this, not on the message. Codes may be added' },
        message: {
          type: 'string',
          description: 'For people; names the first invalid field of a validation error',
        },
        details: {
          type: 'array',
          description: 'All errors of a `VALIDATION_FAILED`',
          items: DETAIL,
        },
      },
      required: ['code', 'message'],
    },
  },
  required: ['success', 'error'],
};

/** The 401 of some routes without an `Authorization: Bearer` header [general.11]. */
const UNAUTHORIZED_MESSAGE = {
  type: 'object',
  description: 'The request has no bearer token',
  properties: { success: failure, errorMessage: { type: 'string', description: 'For people' } },
  required: ['success', 'errorMessage'],
};

const PAGINATION = {
  type: 'object',
  description: 'Position of this page',
  properties: {
    total: { type: 'integer', description: 'Total number of matches' },
    count: { type: 'integer', description: 'Number of items on this page' },
    next_cursor: {
      type: ['string', 'null'],
      description: 'The next `page` or `offset`, as a string; null on the last page',
    },
  },
  required: ['total', 'count', 'next_cursor'],
};

export const PAGINATION_EXAMPLE = { total: 1, count: 1, next_cursor: null };

/** Schemas shared by all operations, by component name. */
export const STANDARD_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  ApiError: ERROR,
  UnauthorizedMessage: UNAUTHORIZED_MESSAGE,
  Pagination: PAGINATION,
};

/** Errors that occur before the request is matched to an operation. */
const OF_NO_OPERATION = new Set([
  'BAD_REQUEST',
  'METHOD_NOT_ALLOWED',
  'EXPECTATION_FAILED',
  'HEADERS_TOO_LARGE',
]);

/** Name of the example of `UnauthorizedMessage`. */
export const NO_BEARER_TOKEN = 'NO_BEARER_TOKEN';

/** An example of each error of operations, by code. */
export const ERROR_EXAMPLES: Readonly<Record<string, JsonSchema>> = {
  [NO_BEARER_TOKEN]: {
    summary: '401 without a bearer token',
    value: { success: false, errorMessage: 'Send your private API key as Authorization: Bearer <API_KEY>' },
  },
  ...Object.fromEntries(
    Object.entries(ERROR_MEANING)
      .filter(([code]) => !OF_NO_OPERATION.has(code))
      .map(([code, meaning]) => {
        const error = { code, message: meaning.replaceAll('`', ''), ...detailsOf(code) };
        return [
          code,
          {
            summary: `${ERROR_STATUS[code as keyof typeof ERROR_STATUS]} ${code}`,
            value: { success: false, error },
          },
        ];
      }),
  ),
};

function detailsOf(code: string): object {
  if (code !== 'VALIDATION_FAILED') return {};
  const message = 'agent_id must be a UUID';
  return { message, details: [{ path: 'agent_id', code: 'invalid_format', message }] };
}
