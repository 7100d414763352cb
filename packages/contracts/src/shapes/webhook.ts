import { z } from 'zod';
import { isoMillis, uuid } from './primitives.ts';

export const WEBHOOK_EVENTS = ['call_started', 'call_ended', 'call_analyzed'] as const;
export const webhookEvent = z.enum(WEBHOOK_EVENTS);
export type WebhookEvent = z.output<typeof webhookEvent>;

/** How an attempt went (D8.4), or why there is none any more. */
export const DELIVERY_REASONS = [
  'delivered',
  'http_error',
  'timeout',
  'connection_error',
  'redirect_refused',
  'address_refused',
  'no_webhook_url',
  'not_recorded',
  // A newer edition of the event took its place before this one was delivered.
  'superseded',
] as const;
export const deliveryReason = z.enum(DELIVERY_REASONS);
export type DeliveryReason = z.output<typeof deliveryReason>;

/** One side of an exchange. */
const exchange = z.object({
  headers: z.record(z.string(), z.string()).describe('Those that carry credentials are masked'),
  body: z.string().describe('As text; of an answer up to 64 KiB'),
});

/** One attempt with its whole exchange (spec: Delivery rules 9; D8.7). Secrets are masked. */
export const deliveryAttempt = z
  .object({
    series: z.int().describe('1, and one more for each resend'),
    attempt: z.int().describe('Within its series, from 1'),
    url: z.string().describe('Where it went'),
    started_at: isoMillis.describe('When'),
    duration_ms: z.int().describe('How long it took, in milliseconds'),
    reason: deliveryReason.describe('How it went'),
    status: z.int().describe('HTTP status, 0 where there was none'),
    error: z.string().nullable().describe('What went wrong, in words; null where nothing did'),
    request: exchange.describe('What was sent'),
    response: exchange.nullable().describe('What came back; null where nothing did'),
  })
  .meta({ id: 'DeliveryAttempt', description: 'One attempt with its whole exchange' });

/** A URL that assistants of the workspace have, and how it has been doing lately. */
export const webhookEndpoint = z
  .object({
    url: z.string().describe('The webhook URL'),
    assistant_count: z.int().describe('Assistants that have this URL'),
    agent_ids: z.array(uuid).describe('Of the assistants that have this URL, the first 20'),
    waiting_events: z.int().describe('Events that are to be delivered or retried, as far as 10,000'),
    recent_attempts: z
      .int()
      .describe('How many attempts `success_rate` is of: the last 100, if there were as many'),
    success_rate: z
      .number()
      .nullable()
      .describe('Of the recent attempts, from 0 to 1; null where there is none'),
    last_success_at: isoMillis.nullable().describe('When an attempt was last delivered; null where none was'),
    last_error: z
      .object({
        at: isoMillis.describe('When'),
        reason: deliveryReason.describe('How it went'),
        status: z.int().describe('HTTP status, 0 where there was none'),
        error: z.string().nullable().describe('What went wrong, in words'),
      })
      .nullable()
      .describe('The last attempt that failed, whatever came after it'),
  })
  .meta({
    id: 'WebhookEndpoint',
    description: 'A URL that assistants of the workspace have, and how it has been doing lately',
  });

/** What a signed `test` event brought back. */
export const webhookTest = z
  .object({
    id: uuid.describe('Its webhook-id'),
    ok: z.boolean().describe('Delivered'),
    url: z.string().describe('Where it went'),
    reason: deliveryReason.describe('How it went'),
    status: z.int().describe('HTTP status, 0 where there was none'),
    error: z.string().nullable().describe('What went wrong, in words; null where nothing did'),
    duration_ms: z.int().describe('How long it took, in milliseconds'),
    request: exchange.describe('What was sent'),
    response: exchange.nullable().describe('What came back; null where nothing did'),
  })
  .meta({ id: 'WebhookTest', description: 'What a test event brought back' });

/** What came of one attempt of a resend (D8.4). */
export const resendResult = z
  .object({
    ok: z.boolean().describe('Delivered. `false` is not final: what failed is retried with backoff'),
    status: z.int().describe('HTTP status, 0 where there was none'),
    reason: deliveryReason.describe('How it went'),
  })
  .meta({ id: 'ResendResult', description: 'What came of one attempt of a resend' });

/** An event of a call and everything that was tried for it (D8.7). */
export const callWebhook = z
  .object({
    id: uuid.describe('The webhook-id of every attempt'),
    event: webhookEvent.describe('The event'),
    status: z
      .enum(['pending', 'delivered', 'failed'])
      .describe('`failed`: nothing more is tried by itself; a resend tries it again'),
    reason: deliveryReason
      .nullable()
      .describe(
        'Of the last attempt, or why there is none; `superseded`: a newer `call_analyzed` (a fixed transcript) took its place',
      ),
    created_at: isoMillis.describe('When it was recorded'),
    next_attempt_at: isoMillis.nullable().describe('When the next attempt is due; null where none is'),
    attempt_count: z.int().describe('All attempts that are kept'),
    attempts: z
      .array(deliveryAttempt)
      .describe(
        'The last 60 of them, or fewer where their bodies would take more than 8 MiB of the answer; oldest first',
      ),
  })
  .meta({ id: 'CallWebhook', description: 'An event of a call and everything that was tried for it' });
