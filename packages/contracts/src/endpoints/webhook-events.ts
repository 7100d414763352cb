import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { isoMillis, offsetPage, uuid } from '../shapes/primitives.ts';
import { deliveryReason, webhookEvent } from '../shapes/webhook.ts';

export const listFailedWebhooks = defineEndpoint({
  service: 'webhooks',
  access: 'private',
  tag: 'Webhooks',
  id: 'listFailedWebhooks',
  method: 'GET',
  path: '/v1/webhook-event/failed',
  query: z.object(offsetPage()),
  status: 200,
  envelope: 'list',
  response: z.object({
    id: uuid.describe('`webhook-id` of every attempt'),
    call_id: uuid.describe('Call of the event'),
    agent_id: uuid.describe('Assistant of the call'),
    event: webhookEvent.describe('Event type'),
    url: z
      .string()
      .nullable()
      .describe('Current webhook URL of the assistant, which a resend uses; null if it has none'),
    reason: deliveryReason.nullable().describe('Result of the last attempt'),
    created_at: isoMillis.describe('Time of creation'),
  }),
  errors: ['VALIDATION_FAILED', 'UNAUTHORIZED', 'FORBIDDEN'],
  summary: 'List the webhook events of all calls whose attempts are exhausted, newest first',
  description:
    'They are not sent again by themselves: `POST /v2/call/{id}/webhooks/resend` with `only_failed` sends those of a call. Their ' +
    'attempts are in `GET /v2/call/{id}/webhooks`. An event with a newer edition is not listed. `pagination.total` counts up to ' +
    '10,000; `next_cursor` is the next offset; an offset past the end returns an empty list.',
});
