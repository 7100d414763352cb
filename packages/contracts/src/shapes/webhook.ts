import { z } from 'zod';
import { isoMillis, uuid } from './primitives.ts';

export const WEBHOOK_EVENTS = ['call_started', 'call_ended', 'call_analyzed'] as const;
export const webhookEvent = z.enum(WEBHOOK_EVENTS);
export type WebhookEvent = z.output<typeof webhookEvent>;

/** Result of an attempt [webhooks.18], or why there are no more attempts. */
const DELIVERY_REASONS = [
  'delivered',
  'http_error',
  'timeout',
  'connection_error',
  'redirect_refused',
  'address_refused',
  'no_webhook_url',
  'not_recorded',
  // Replaced by a newer edition of the event before it was delivered.
  'superseded',
] as const;
export const deliveryReason = z.enum(DELIVERY_REASONS);
export type DeliveryReason = z.output<typeof deliveryReason>;

/** A request or a response. */
const exchange = z.object({
  headers: z.record(z.string(), z.string()).describe('Headers; credentials are masked'),
  body: z.string().describe('Body as text; response bodies up to 64 KiB'),
});

/** One attempt with request and response [webhooks.19]. Secrets are masked. */
const deliveryAttempt = z
  .object({
    series: z.int().describe('Series of attempts: 1 for the first, incremented by each resend'),
    attempt: z.int().describe('Attempt within the series, starting at 1'),
    url: z.string().describe('URL of the request'),
    started_at: isoMillis.describe('Time'),
    duration_ms: z.int().describe('Duration in milliseconds'),
    reason: deliveryReason.describe('Result'),
    status: z.int().describe('HTTP status; 0 if there was no response'),
    error: z.string().nullable().describe('Error message; null if there was no error'),
    request: exchange.describe('Request'),
    response: exchange.nullable().describe('Response; null if there was none'),
  })
  .meta({ id: 'DeliveryAttempt', description: 'A delivery attempt with its request and response' });

/** A webhook URL of assistants, with its recent deliveries. */
export const webhookEndpoint = z
  .object({
    url: z.string().describe('Webhook URL'),
    assistant_count: z.int().describe('Number of assistants with this URL'),
    agent_ids: z.array(uuid).describe('Assistants with this URL, the first 20'),
    waiting_events: z.int().describe('Events waiting for delivery or a retry, counted up to 10,000'),
    recent_attempts: z.int().describe('Number of attempts in `success_rate`, at most the last 100'),
    success_rate: z
      .number()
      .nullable()
      .describe('Share of successful recent attempts, 0 to 1; null if there are none'),
    latency_p50_ms: z
      .int()
      .nullable()
      .describe('Median duration of the recent attempts in milliseconds; null if there are none'),
    latency_p95_ms: z
      .int()
      .nullable()
      .describe(
        '95th percentile of the durations of the recent attempts in milliseconds; null if there are none',
      ),
    last_success_at: isoMillis.nullable().describe('Time of the last delivery; null if there was none'),
    last_error: z
      .object({
        at: isoMillis.describe('Time'),
        reason: deliveryReason.describe('Result'),
        status: z.int().describe('HTTP status; 0 if there was no response'),
        error: z.string().nullable().describe('Error message; null if there was none'),
      })
      .nullable()
      .describe('Last failed attempt, even if later ones succeeded'),
  })
  .meta({
    id: 'WebhookEndpoint',
    description: 'A webhook URL of assistants, with its recent deliveries',
  });

/** Result of a signed `test` event. */
export const webhookTest = z
  .object({
    id: uuid.describe('`webhook-id` of the test event'),
    ok: z.boolean().describe('Whether the event was delivered'),
    url: z.string().describe('URL of the request'),
    reason: deliveryReason.describe('Result'),
    status: z.int().describe('HTTP status; 0 if there was no response'),
    error: z.string().nullable().describe('Error message; null if there was no error'),
    duration_ms: z.int().describe('Duration in milliseconds'),
    request: exchange.describe('Request'),
    response: exchange.nullable().describe('Response; null if there was none'),
  })
  .meta({ id: 'WebhookTest', description: 'Result of a test event' });

/** Result of an attempt of a resend [webhooks.18]. */
export const resendResult = z
  .object({
    ok: z.boolean().describe('Whether the event was delivered. If false, it is retried with backoff'),
    status: z.int().describe('HTTP status; 0 if there was no response'),
    reason: deliveryReason.describe('Result'),
  })
  .meta({ id: 'ResendResult', description: 'Result of an attempt of a resend' });

/** A webhook event of a call with its attempts [webhooks.19]. */
export const callWebhook = z
  .object({
    id: uuid.describe('`webhook-id` of every attempt'),
    event: webhookEvent.describe('Event type'),
    status: z
      .enum(['pending', 'delivered', 'failed'])
      .describe('`failed`: no further automatic attempts; a resend starts a new series'),
    reason: deliveryReason
      .nullable()
      .describe(
        'Result of the last attempt, or why there was none; `superseded`: replaced by a newer `call_analyzed` ' +
          '(transcript fix)',
      ),
    created_at: isoMillis.describe('Time of creation'),
    next_attempt_at: isoMillis.nullable().describe('Time of the next attempt; null if none is scheduled'),
    attempt_count: z.int().describe('Number of stored attempts'),
    attempts: z
      .array(deliveryAttempt)
      .describe('The last 60 attempts, or fewer if their bodies exceed 8 MiB; oldest first'),
  })
  .meta({ id: 'CallWebhook', description: 'A webhook event of a call with its attempts' });
