import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { idParams } from '../shapes/primitives.ts';
import { callWebhook, resendResult, webhookEvent } from '../shapes/webhook.ts';

const route = { service: 'webhooks', access: 'private', tag: 'Webhooks' } as const;

export const listCallWebhooks = defineEndpoint({
  ...route,
  id: 'listCallWebhooks',
  method: 'GET',
  path: '/v2/call/:id/webhooks',
  params: idParams,
  status: 200,
  envelope: 'data',
  response: z.array(callWebhook),
  errors: ['VALIDATION_FAILED', 'NOT_FOUND', 'UNAUTHORIZED', 'FORBIDDEN'],
  summary: 'List the webhook events of a call with every delivery attempt',
  description:
    'What was sent and what came back, when, and when the next attempt is due. Bodies of answers are kept up to 64 KiB. ' +
    'Headers that carry credentials are masked.',
});

const result = resendResult.optional().describe('What came of its attempt');

export const resendCallWebhooks = defineEndpoint({
  ...route,
  id: 'resendCallWebhooks',
  method: 'POST',
  path: '/v2/call/:id/webhooks/resend',
  params: idParams,
  body: z.object({
    events: z
      .array(webhookEvent)
      .min(1)
      .describe('Sent as call_started, call_ended, call_analyzed, however they are listed'),
  }),
  status: 200,
  envelope: 'data',
  response: z.object({
    results: z
      .object({ call_started: result, call_ended: result, call_analyzed: result })
      .describe('By event, of those that were asked for'),
  }),
  errors: ['VALIDATION_FAILED', 'NOT_FOUND', 'RATE_LIMITED', 'UNAUTHORIZED', 'FORBIDDEN', 'INTERNAL_ERROR'],
  answersWithinMs: 75_000,
  summary: 'Deliver webhook events of a call again',
  description:
    'Each event is attempted once, at once and one after the other, under its `webhook-id` and with its bytes, whatever ' +
    'became of it before; the answer tells of these attempts, and `not_recorded` of an event that the call does not have. ' +
    'An event that fails is tried again like a new one, up to 12 times. Receivers that hang make the answer take up to a minute. ' +
    '`INTERNAL_ERROR`: nothing was sent, try again. It creates nothing, so `Idempotency-Key` has no meaning here: ' +
    'receivers recognise a repetition by `call_id` and `event`. Up to 8 at once per workspace, `RATE_LIMITED` beyond.',
  example: { events: ['call_ended', 'call_analyzed'] },
});
