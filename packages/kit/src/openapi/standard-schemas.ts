import { ERROR_MEANING, ERROR_STATUS } from '@parley/contracts';
import type { JsonSchema } from './schemas.ts';

const DETAIL = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'Dotted, such as `contacts.3.phone_number`' },
    code: {
      type: 'string',
      description:
        '`required`, `invalid_type`, `invalid_format`, `too_small`, `too_big`, `not_allowed` or `unknown_id`',
    },
    message: { type: 'string', description: 'For people; begins with the path' },
  },
  required: ['path', 'code', 'message'],
};

const failure = { type: 'boolean', const: false, description: 'Tells an error from an answer' };

/** The error envelope (spec: Errors; D1.1). */
const ERROR = {
  type: 'object',
  description: 'Every error but those of legacy routes, which are the bare status',
  properties: {
    success: failure,
    error: {
      type: 'object',
      description: 'What went wrong',
      properties: {
        code: { type: 'string', description: 'Branch on this, never on the message. Codes may be added' },
        message: { type: 'string', description: 'For people; names the field of a validation error' },
        details: {
          type: 'array',
          description: 'Of `VALIDATION_FAILED`: each finding',
          items: DETAIL,
        },
      },
      required: ['code', 'message'],
    },
  },
  required: ['success', 'error'],
};

/** The 401 of some routes with no `Authorization: Bearer` header at all (D1.2). */
const UNAUTHORIZED_MESSAGE = {
  type: 'object',
  description: 'Where no bearer token was sent at all',
  properties: { success: failure, errorMessage: { type: 'string', description: 'For people' } },
  required: ['success', 'errorMessage'],
};

const PAGINATION = {
  type: 'object',
  description: 'Where this page stands',
  properties: {
    total: { type: 'integer', description: 'All matches' },
    count: { type: 'integer', description: 'Items of this page' },
    next_cursor: {
      type: ['string', 'null'],
      description: 'The next `page`, or `offset`, as a text; null at the end',
    },
  },
  required: ['total', 'count', 'next_cursor'],
};

/** Schemas of every answer, by the names of their components. */
export const STANDARD_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Error: ERROR,
  UnauthorizedMessage: UNAUTHORIZED_MESSAGE,
  Pagination: PAGINATION,
};

/** What is answered before it is known which operation is meant, if any. */
const OF_NO_OPERATION = new Set([
  'BAD_REQUEST',
  'METHOD_NOT_ALLOWED',
  'REQUEST_TIMEOUT',
  'EXPECTATION_FAILED',
  'HEADERS_TOO_LARGE',
]);

/** An example of each error that an operation can answer, by its code. */
export const ERROR_EXAMPLES: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
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
);

function detailsOf(code: string): object {
  if (code !== 'VALIDATION_FAILED') return {};
  const message = 'agent_id must be a UUID';
  return { message, details: [{ path: 'agent_id', code: 'invalid_format', message }] };
}
