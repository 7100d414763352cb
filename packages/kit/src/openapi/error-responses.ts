import { type AnyEndpoint, ERROR_MEANING, ERROR_STATUS, type ErrorCode } from '@parley/contracts';
import type { JsonSchema } from './json-schema.ts';
import { responseHeaders } from './response-headers.ts';
import { NO_BEARER_TOKEN } from './standard-schemas.ts';

/** Errors of any endpoint, in addition to those it lists [general.8]. */
const ALWAYS: readonly ErrorCode[] = ['INTERNAL_ERROR', 'SERVICE_UNAVAILABLE'];
const OF_KEYS: readonly ErrorCode[] = ['UNAUTHORIZED', 'RATE_LIMITED'];
const OF_SESSIONS: readonly ErrorCode[] = ['FORBIDDEN'];
const OF_BODIES: readonly ErrorCode[] = [
  'REQUEST_TIMEOUT',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'VALIDATION_FAILED',
];
const OF_IDEMPOTENCY: readonly ErrorCode[] = ['IDEMPOTENCY_IN_PROGRESS', 'IDEMPOTENCY_KEY_REUSED'];

/** One response per status, naming the codes that it can carry; legacy routes answer the bare status [general.10]. */
export function errorResponses(endpoint: AnyEndpoint): Record<string, JsonSchema> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codesOf(endpoint)) {
    const status = ERROR_STATUS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const sorted = [...byStatus].sort(([a], [b]) => a - b);
  return Object.fromEntries(sorted.map(([status, codes]) => [status, responseOf(endpoint, status, codes)]));
}

function codesOf({ errors, access, body, idempotent }: AnyEndpoint): Set<ErrorCode> {
  return new Set([
    ...errors,
    ...(access === 'open' ? [] : OF_KEYS),
    ...(access === 'session' ? OF_SESSIONS : []),
    ...(body === undefined ? [] : OF_BODIES),
    ...(idempotent ? OF_IDEMPOTENCY : []),
    ...ALWAYS,
  ]);
}

function responseOf(endpoint: AnyEndpoint, status: number, codes: ErrorCode[]): JsonSchema {
  const headers = responseHeaders(endpoint, status);
  if (endpoint.legacy) return { description: 'Bare status without a body', headers };
  const meanings = codes.map((code) => `\`${code}\`: ${ERROR_MEANING[code]}`).join('\n\n');
  const asMessage = status === 401 && endpoint.errorMessage401;
  const description = asMessage
    ? `${meanings}. Without a bearer token the body has \`errorMessage\` instead of \`error\``
    : meanings;
  const error = { $ref: '#/components/schemas/ApiError' };
  const message = { $ref: '#/components/schemas/UnauthorizedMessage' };
  const schema = asMessage ? { anyOf: [message, error] } : error;
  const names = asMessage ? [...codes, NO_BEARER_TOKEN] : codes;
  const examples = Object.fromEntries(names.map((name) => [name, { $ref: `#/components/examples/${name}` }]));
  return { description, headers, content: { 'application/json': { schema, examples } } };
}
