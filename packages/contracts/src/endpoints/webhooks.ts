import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { idParams } from '../shapes/primitives.ts';
import { callWebhook } from '../shapes/webhook.ts';

export const listCallWebhooks = defineEndpoint({
  service: 'webhooks',
  access: 'private',
  tag: 'Webhooks',
  id: 'listCallWebhooks',
  method: 'GET',
  path: '/v2/call/:id/webhooks',
  params: idParams,
  status: 200,
  envelope: 'data',
  response: z.array(callWebhook),
  errors: ['VALIDATION_FAILED', 'NOT_FOUND', 'UNAUTHORIZED', 'FORBIDDEN'],
  summary: 'List the webhook events of a call with every delivery attempt',
});
