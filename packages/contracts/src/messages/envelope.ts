import { z } from 'zod';
import { uuid } from '../shapes/primitives.ts';

/** What wraps every message on the exchange. `id` is the idempotency key of its consumers. */
export const envelopeSchema = z.object({
  id: uuid,
  type: z.string(),
  /** Stack time (D9), ISO 8601 with milliseconds. */
  occurred_at: z.string(),
  workspace_id: uuid,
  /** The request that caused it, where there was one. */
  request_id: z.string().optional(),
  data: z.unknown(),
});

export type MessageEnvelope = z.output<typeof envelopeSchema>;
