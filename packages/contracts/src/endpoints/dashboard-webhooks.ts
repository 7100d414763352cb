import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { isoMillis, offsetPage, uuid } from '../shapes/primitives.ts';
import { deliveryReason, webhookEvent } from '../shapes/webhook.ts';

export const listFailedWebhooks = defineEndpoint({
  service: 'webhooks',
  access: 'session',
  role: 'viewer',
  tag: 'Dashboard',
  id: 'listFailedWebhooks',
  method: 'GET',
  path: '/dashboard/api/webhooks/failed',
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
  errors: ['FORBIDDEN', 'CONFLICT', 'VALIDATION_FAILED'],
  summary: 'List the webhook events of all calls whose attempts are exhausted, newest first',
  description:
    'For the page that sends them again. With a key, the events of a call are listed by `GET /v2/call/{id}/webhooks`. An event with a ' +
    'newer edition is not listed. `pagination.total` counts up to 10,000; `next_cursor` is the next offset.',
});
