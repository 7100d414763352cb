import { z } from 'zod';
import { SERVICES } from '../services.ts';
import { isoMillis, uuid } from './primitives.ts';
import { deliveryReason, webhookEvent } from './webhook.ts';

const at = (what: string) => isoMillis.describe(what);

const endpointFailing = z.object({
  type: z.literal('webhook_endpoint_failing').describe('The last attempt to deliver to a URL failed'),
  at: at('Time of the last failed attempt'),
  url: z.string().describe('Webhook URL'),
  agent_ids: z.array(uuid).describe('Assistants with this URL, the first 20'),
  success_rate: z.number().describe('Share of successful ones among the last attempts, at most 100'),
  waiting_events: z.int().describe('Events waiting for delivery or a retry, counted up to 10,000'),
  last_success_at: isoMillis.nullable().describe('Time of the last delivery; null if there was none'),
  reason: deliveryReason.describe('Result of the last failed attempt'),
  status: z.int().describe('Its HTTP status; 0 if there was no response'),
  error: z.string().nullable().describe('Its error message; null if there was none'),
});

const deliveriesExhausted = z.object({
  type: z
    .literal('webhook_events_exhausted')
    .describe('Events of the last seven days were given up after their last attempt'),
  at: at('Time of the newest of them'),
  agent_id: uuid.describe('The assistant'),
  count: z.int().describe('Number of events, counted up to 1,000'),
  call_id: uuid.describe('Call of the newest event'),
  event: webhookEvent.describe('The newest event'),
});

const circuitOpen = z.object({
  type: z
    .literal('number_circuit_open')
    .describe('The carrier failed repeatedly on a number; campaigns on it wait'),
  at: at('Time at which the circuit opened'),
  phone_number_id: uuid.describe('The phone number'),
  phone_number: z.string().describe('E.164'),
  nickname: z.string().nullable().describe('Nickname of the number'),
  next_probe_at: isoMillis
    .nullable()
    .describe('Time of the next dial that tests the number; null if none is planned'),
});

const eventsRefused = z.object({
  type: z
    .literal('events_not_published')
    .describe(
      'The message broker refused events of the workspace, so webhooks or campaigns may lack them; the operator can publish ' +
        'them again',
    ),
  at: at('Time of the last refusal'),
  service: z.enum(SERVICES).describe('The service that published them'),
  count: z.int().describe('Number of events, counted up to 1,000'),
});

const keyExpiring = z.object({
  type: z.literal('api_key_expiring').describe('An API key expires within 14 days'),
  at: at('Time of expiry'),
  key_id: uuid.describe('The key'),
  name: z.string().describe('Its display name'),
});

/** Something that a person should look at [analytics.10]. Types may be added. */
export const attentionItem = z
  .discriminatedUnion('type', [endpointFailing, deliveriesExhausted, circuitOpen, eventsRefused, keyExpiring])
  .meta({ id: 'AttentionItem', description: 'Something that a person should look at' });
export type AttentionItem = z.output<typeof attentionItem>;

export const attention = z
  .object({
    items: z.array(attentionItem).describe('Newest first by `at`; at most 20 of each type'),
    unknown_services: z
      .array(z.enum(SERVICES))
      .describe('Services that did not respond in time: what they would report is missing from `items`'),
  })
  .meta({ id: 'Attention', description: 'What needs attention in the workspace' });
