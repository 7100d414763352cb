import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { queryInt, uuid } from '../shapes/primitives.ts';
import { webhookEndpoint, webhookTest } from '../shapes/webhook.ts';

const route = { service: 'webhooks', access: 'private', tag: 'Webhooks' } as const;

export const listWebhookEndpoints = defineEndpoint({
  ...route,
  id: 'listWebhookEndpoints',
  method: 'GET',
  path: '/v1/webhook-endpoint',
  query: z.object({
    limit: queryInt(1, 100, 50).describe('Items at once'),
    offset: queryInt(0, 2_147_483_647, 0).describe('How many to skip: `next_cursor` of the last page'),
  }),
  status: 200,
  envelope: 'list',
  response: webhookEndpoint,
  errors: ['VALIDATION_FAILED', 'UNAUTHORIZED', 'FORBIDDEN'],
  summary: 'List the webhook URLs of the assistants and how each is doing',
  description:
    'One item per URL, in the order of the URLs: who has it, what waits for it, how many of its last 100 attempts were ' +
    'delivered, its last success and its last error. Attempts that are older than the history is kept are not counted.',
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
        .optional()
        .describe('The URL to send to; `agent_id` instead names that of an assistant'),
      agent_id: uuid.optional().describe('The URL that this assistant has now'),
    })
    .refine(({ url, agent_id }) => (url === undefined) !== (agent_id === undefined), {
      error: 'must be given, or else agent_id, and not both',
      path: ['url'],
      params: { code: 'required' },
    }),
  status: 200,
  envelope: 'data',
  response: webhookTest,
  errors: ['VALIDATION_FAILED', 'NOT_FOUND', 'RATE_LIMITED', 'UNAUTHORIZED', 'FORBIDDEN', 'INTERNAL_ERROR'],
  summary: 'Send a signed test event to a webhook URL',
  description:
    'Sends `{event: "test", call_id: null, agent_id, timestamp, payload: {}}` once, signed and checked as every delivery ' +
    'is, and answers with what was sent and what came back. It is no event of a call: nothing of it is kept or retried. It ' +
    'creates nothing, so `Idempotency-Key` has no meaning here. 20 a minute per workspace.',
  example: { url: 'https://example.com/parley' },
});
