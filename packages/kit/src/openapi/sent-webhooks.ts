import type { SentEvent } from '@parley/contracts';
import type { JsonSchema, Schemas } from './schemas.ts';

const header = (name: string, description: string, example: string): JsonSchema => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string', examples: [example] },
});

/** Standard Webhooks (D8.1). */
const SIGNATURE = [
  header(
    'webhook-id',
    'Names the event: the same for every attempt and every resend',
    '0197f3b2-5c1e-7d40-9a3b-2f6f1c0d8e11',
  ),
  header('webhook-timestamp', 'When this attempt was signed: seconds since 1970', '1773480413'),
  header(
    'webhook-signature',
    '`v1,` and the base64 of the HMAC-SHA256, under the secret of the workspace, of `<webhook-id>.<webhook-timestamp>.<body>`. ' +
      'Two of them with a blank between while the secret is being rotated. Refuse what fits none, and what is older than five minutes',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
  header('user-agent', 'Always the same', 'Parley-Webhooks/1'),
];
const ATTEMPT = header('x-webhook-attempt', 'Counts within a series of attempts, from 1', '1');

/** What the platform asks of clients' endpoints, as `webhooks` of OpenAPI 3.1. */
export function sentWebhooks(events: readonly SentEvent[], schemas: Schemas): Record<string, JsonSchema> {
  return Object.fromEntries(events.map((event) => [event.name, { post: operationOf(event, schemas) }]));
}

function operationOf(event: SentEvent, schemas: Schemas): JsonSchema {
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
      content: { 'application/json': { schema: schemas.of(body, 'output') } },
    },
    responses: {
      '2XX': {
        description: answer ? 'Heeded' : 'Delivered; the body is kept for the record',
        ...(answer ? { content: { 'application/json': { schema: schemas.of(answer, 'input') } } } : {}),
      },
      '4XX': { description: answer ? 'Counts as no answer' : 'A failed attempt, which is repeated' },
    },
  };
}
