import { z } from 'zod';
import { SERVICES } from '../services.ts';
import { uuid } from '../shapes/primitives.ts';

/** The envelope of every message. Consumers deduplicate by `id`. */
export const envelopeSchema = z.object({
  id: uuid,
  type: z.string(),
  /** Stack time [running.1], ISO 8601 with milliseconds. */
  occurred_at: z.string(),
  workspace_id: uuid,
  /** The request that caused it, if any. */
  request_id: z.string().optional(),
  data: z.unknown(),
});

/** Maximum size of a message on the broker [trust.4]. */
export const MAX_MESSAGE_BYTES = 1_048_576;

/** Replaces a larger message, whose content is fetched from its publisher (`readMessageContentOf`). */
export const referenceSchema = envelopeSchema.omit({ data: true }).extend({
  content: z.object({ service: z.enum(SERVICES), bytes: z.int() }),
});

export type MessageReference = z.output<typeof referenceSchema>;

export type MessageEnvelope = z.output<typeof envelopeSchema>;
