import type { AnyEndpoint } from '@parley/contracts';
import type { JsonSchema } from './schemas.ts';

const whole = { type: 'integer' };
const OF_GOOD_KEYS: Record<string, JsonSchema> = {
  'x-ratelimit-limit': {
    description: 'How many requests the bucket with the least left holds',
    schema: whole,
  },
  'x-ratelimit-remaining': { description: 'How many of them may follow at once', schema: whole },
  'x-ratelimit-reset': { description: 'Seconds until all of them may again', schema: whole },
  'x-ratelimit-policy': {
    description: 'How many come back in a minute: `600;w=60`',
    schema: { type: 'string' },
  },
};
const REPLAYED = 'Idempotent-Replayed';

/** What stands under `components.headers` (D1.6, D1.7). */
export const HEADER_COMPONENTS: Record<string, JsonSchema> = {
  'x-request-id': {
    description:
      'What the service knows the request by: your own `x-request-id`, or one that was made for it',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._:-]{1,128}$' },
  },
  ...OF_GOOD_KEYS,
  [REPLAYED]: {
    description: 'The answer of an earlier request with this `Idempotency-Key`',
    schema: { const: 'true' },
  },
  'Retry-After': { description: 'Seconds to wait', schema: whole },
};

/** The headers of an answer, by reference. */
export function answerHeaders({ access, idempotent }: AnyEndpoint, status: number): JsonSchema {
  const hasGoodKey = access !== 'open' && status !== 401;
  const names = [
    'x-request-id',
    ...(hasGoodKey ? Object.keys(OF_GOOD_KEYS) : []),
    ...(idempotent && status < 300 ? [REPLAYED] : []),
    ...(status === 429 || status === 503 ? ['Retry-After'] : []),
  ];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
