import type { SentEvent } from '@parley/contracts';
import type { Examples, JsonSchema } from './json-schema.ts';
import type { Schemas } from './schemas.ts';

const header = (name: string, description: string, example: string): JsonSchema => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string', examples: [example] },
});

/** Standard Webhooks [webhooks.7]. */
const SIGNATURE = [
  header(
    'webhook-id',
    'Id of the event: the same for every attempt and every resend',
    '0197f3b2-5c1e-7d40-9a3b-2f6f1c0d8e11',
  ),
  header('webhook-timestamp', 'Time of the signature, in seconds since 1970', '1773480413'),
  header(
    'webhook-signature',
    '`v1,` and the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`. The key is the base64-decoded part of the ' +
      'signing secret after `whsec_`: the secret of the workspace, or of the assistant or tool if it has its own. During a ' +
      'rotation there are two signatures, separated by a space. Reject requests without a matching signature, and those ' +
      'older than five minutes',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
  header('user-agent', 'Constant', 'Parley-Webhooks/1'),
];
const ATTEMPT = header('x-webhook-attempt', 'Attempt within the series, starting at 1', '1');

/** Requests of the platform to clients' endpoints, as `webhooks` of OpenAPI 3.1. */
export function sentWebhooks(
  events: readonly SentEvent[],
  schemas: Schemas,
  examples: Examples,
): Record<string, JsonSchema> {
  return Object.fromEntries(
    events.map((event) => [event.name, { post: operationOf(event, schemas, examples) }]),
  );
}

function operationOf(event: SentEvent, schemas: Schemas, examples: Examples): JsonSchema {
  const { name, tag, summary, description, body, answer, countsAttempts } = event;
  return {
    operationId: name,
    tags: [tag],
    summary,
    description,
    security: [],
    parameters: countsAttempts ? [...SIGNATURE, ATTEMPT] : SIGNATURE,
    requestBody: {
      required: true,
      content: { 'application/json': { schema: schemas.of(body, 'output'), example: examples.get(name) } },
    },
    responses: {
      '2XX': {
        description: answer ? 'Applied' : 'Delivered; the body is stored in the delivery history',
        ...(answer ? { content: { 'application/json': { schema: schemas.of(answer, 'input') } } } : {}),
      },
      '4XX': { description: answer ? 'Treated as no response' : 'A failed attempt, which is retried' },
    },
  };
}
