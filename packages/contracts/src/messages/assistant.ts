import { z } from 'zod';
import { uuid } from '../shapes/primitives.ts';

/** An assistant, for copies in other services. Copies only accept a higher `version`, so order and repetition don't matter. */
export const assistantUpdated = z.object({
  agent_id: uuid,
  agent_name: z.string(),
  version: z.int(),
  /** `config.settings.webhookUrl`; null: no lifecycle events are sent. */
  webhook_url: z.string().nullable(),
});

export const assistantDeleted = z.object({ agent_id: uuid, version: z.int() });
