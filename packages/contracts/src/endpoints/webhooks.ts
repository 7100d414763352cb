import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { idParams, shortList } from '../shapes/primitives.ts';
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
  summary: 'List the webhook events of a call with their delivery attempts',
  description:
    'Requests and responses of all attempts with their times, and when the next attempt is due. Response bodies are ' +
    'kept up to 64 KiB. Headers that carry credentials are masked.',
});

const result = resendResult.optional().describe('Result of its attempt');

export const resendCallWebhooks = defineEndpoint({
  ...route,
  id: 'resendCallWebhooks',
  method: 'POST',
  path: '/v2/call/:id/webhooks/resend',
  params: idParams,
  body: z.object({
    events: shortList(webhookEvent, 100, 1).describe(
      'Sent in the order call_started, call_ended, call_analyzed, regardless of the order here',
    ),
    only_failed: z
      .boolean()
      .default(false)
      .describe('True: only events whose `status` is `failed` are sent; the others have no result'),
  }),
  status: 200,
  envelope: 'data',
  response: z.object({
    results: z
      .object({ call_started: result, call_ended: result, call_analyzed: result })
      .describe('Results of the requested events, by event'),
  }),
  errors: ['VALIDATION_FAILED', 'NOT_FOUND', 'RATE_LIMITED', 'UNAUTHORIZED', 'FORBIDDEN', 'INTERNAL_ERROR'],
  answersWithinMs: 75_000,
  summary: 'Resend webhook events of a call',
  description:
    'Attempts each event once, immediately and one after the other, with its original `webhook-id` and body, ' +
    'whatever its status. The response contains the results; `not_recorded` means that the call has no such event. ' +
    'A failed event is retried like a new one, up to 12 times. Slow receivers can delay the response by up to a ' +
    'minute. `INTERNAL_ERROR`: nothing was sent, retry. `Idempotency-Key` is not supported, because nothing is ' +
    'created: receivers recognize repetitions by `webhook-id`, and with `only_failed` a repetition finds events that ' +
    'are no longer failed. At most 8 concurrent requests per workspace; ' +
    '`RATE_LIMITED` beyond that.',
  example: { events: ['call_ended', 'call_analyzed'] },
});
