import { z } from 'zod';
import { assistantConfig } from './assistant-config.ts';
import { isoMillis, jsonObject, uuid } from './primitives.ts';

/** The answer of create, get and update (spec: PATCH /v1/assistant). `config` is whole, with defaults. */
export const assistant = z.object({
  id: uuid,
  agent_name: z.string(),
  agent_type: z.string(),
  config: assistantConfig,
  updated_at: isoMillis,
});

/** Assistant list item: `config` holds `systemPrompt` and `voice` alone. */
export const assistantListItem = z.object({
  id: uuid,
  agent_name: z.string(),
  updated_at: isoMillis,
  config: z.object({ systemPrompt: z.string(), voice: jsonObject }),
  inbound_phone_number: z.string().nullable(),
  outbound_phone_number: z.string().nullable(),
});

export const voice = z.object({
  voice_id: z.string(),
  voice_name: z.string(),
  provider: z.string(),
  gender: z.string(),
  language: z.string(),
});
