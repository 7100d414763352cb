import { z } from 'zod';
import { uuid } from '../shapes/primitives.ts';
import { deliveryReason, webhookEvent } from '../shapes/webhook.ts';

/** A series of attempts ended without success: the event is not sent again by itself (spec: Delivery rules 2). */
export const webhookExhausted = z.object({
  event_id: uuid,
  call_id: uuid,
  agent_id: uuid,
  event: webhookEvent,
  /** From 1; one more for each resend. */
  series: z.int(),
  attempts: z.int(),
  /** Of the last attempt: where it went, and what came of it. */
  url: z.string(),
  reason: deliveryReason,
  status: z.int(),
  error: z.string().nullable(),
});
