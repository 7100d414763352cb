import type { AnyEndpoint } from '@parley/contracts';
import type { JsonSchema } from './json-schema.ts';

const integer = { type: 'integer' };
const RATE_LIMIT_HEADERS: Record<string, JsonSchema> = {
  'x-ratelimit-limit': {
    description: 'Size of the rate limit with the fewest requests left',
    schema: integer,
  },
  'x-ratelimit-remaining': { description: 'Requests left in it', schema: integer },
  'x-ratelimit-reset': { description: 'Seconds until it is full again', schema: integer },
  'x-ratelimit-policy': {
    description: 'Requests per minute: `600;w=60`',
    schema: { type: 'string' },
  },
};
const REPLAYED = 'Idempotent-Replayed';

/** `components.headers` [general.17] [general.20]. */
export const HEADER_COMPONENTS: Record<string, JsonSchema> = {
  'x-request-id': {
    description: 'Id of the request: your own `x-request-id`, or a generated one',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._:-]{1,128}$' },
  },
  ...RATE_LIMIT_HEADERS,
  [REPLAYED]: {
    description: 'Present if this is the stored response of an earlier request with this `Idempotency-Key`',
    schema: { const: 'true' },
  },
  'Retry-After': { description: 'Seconds to wait', schema: integer },
};

/** The headers of a response, by reference except for cookies. */
export function responseHeaders({ access, idempotent, cookies }: AnyEndpoint, status: number): JsonSchema {
  const isAuthenticated = access !== 'open' && status !== 401;
  const names = [
    'x-request-id',
    ...(isAuthenticated ? Object.keys(RATE_LIMIT_HEADERS) : []),
    ...(idempotent && status < 300 ? [REPLAYED] : []),
    ...(status === 429 || status === 503 || (idempotent && status === 409) ? ['Retry-After'] : []),
  ];
  const description = cookies?.[status];
  return {
    ...Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    ...(description ? { 'Set-Cookie': { description, schema: { type: 'string' } } } : {}),
  };
}
