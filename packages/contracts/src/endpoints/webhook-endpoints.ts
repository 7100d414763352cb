import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { offsetPage, uuid } from '../shapes/primitives.ts';
import { webhookEndpoint, webhookTest } from '../shapes/webhook.ts';

const route = { service: 'webhooks', access: 'private', tag: 'Webhooks' } as const;

export const listWebhookEndpoints = defineEndpoint({
  ...route,
  id: 'listWebhookEndpoints',
  method: 'GET',
  path: '/v1/webhook-endpoint',
  query: z.object(offsetPage()),
  status: 200,
  envelope: 'list',
  response: webhookEndpoint,
  errors: ['VALIDATION_FAILED', 'UNAUTHORIZED', 'FORBIDDEN'],
  summary: 'List the webhook URLs of the assistants with their status',
  description:
    'One item per URL, in alphabetical order: the assistants that use it, waiting events, the success rate of its ' +
    'last 100 attempts, its last success and its last error. Attempts beyond the retention period are not counted. ' +
    '`next_cursor` is the next offset; an offset past the end returns an empty list.',
});

export const testWebhookEndpoint = defineEndpoint({
  ...route,
  id: 'testWebhookEndpoint',
  method: 'POST',
  path: '/v1/webhook-endpoint/test',
  body: z
    .object({
      url: z
        .string()
        .min(1)
        .max(2_048)
        .meta({ format: 'uri' })
        .optional()
        .describe('The URL to send to. Pass either `url` or `agent_id`'),
      agent_id: uuid.optional().describe('Send to the current webhook URL of this assistant'),
    })
    .refine(({ url, agent_id }) => (url === undefined) !== (agent_id === undefined), {
      error: 'or agent_id is required, not both',
      path: ['url'],
      params: { code: 'required' },
    }),
  status: 200,
  envelope: 'data',
  response: webhookTest,
  errors: ['VALIDATION_FAILED', 'NOT_FOUND', 'RATE_LIMITED', 'UNAUTHORIZED', 'FORBIDDEN', 'INTERNAL_ERROR'],
  answersWithinMs: 30_000,
  summary: 'Send a signed test event to a webhook URL',
  description:
    'Sends `{event: "test", call_id: null, agent_id, timestamp, payload: {}}` once, signed and checked like any ' +
    'delivery, and returns the request and the response. Nothing is stored or retried. `Idempotency-Key` is not ' +
    'supported, because nothing is created. Limited to 20 requests per minute and workspace.',
  example: { url: 'https://example.com/parley' },
});
