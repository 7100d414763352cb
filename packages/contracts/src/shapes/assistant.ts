import { z } from 'zod';
import { assistantConfig } from './assistant-config.ts';
import { isoMillis, jsonObject, uuid } from './primitives.ts';

/** The answer of create, get and update (spec: PATCH /v1/assistant). `config` is whole, with defaults. */
export const assistant = z
  .object({
    id: uuid.describe('The assistant'),
    agent_name: z.string().describe('For people'),
    agent_type: z.string().describe('The prompt style'),
    config: assistantConfig,
    updated_at: isoMillis.describe('Last edit'),
  })
  .meta({ id: 'Assistant', description: 'An assistant' });

/** Assistant list item: `config` holds `systemPrompt` and `voice` alone. */
export const assistantListItem = z
  .object({
    id: uuid.describe('The assistant'),
    agent_name: z.string().describe('For people'),
    updated_at: isoMillis.describe('Last edit'),
    config: z
      .object({
        systemPrompt: z.string().describe('What the assistant is told to be and to do'),
        voice: jsonObject.describe('`voiceId` and `speed`'),
      })
      .describe('An extract of the configuration'),
    inbound_phone_number: z
      .string()
      .nullable()
      .describe('A number that it answers; null where there is none'),
    outbound_phone_number: z
      .string()
      .nullable()
      .describe('A number that it calls from; null where there is none'),
  })
  .meta({ id: 'AssistantListItem', description: 'An assistant as lists show it' });

export const voice = z
  .object({
    voice_id: z.string().describe('What `config.voice.voiceId` takes'),
    voice_name: z.string().describe('For people'),
    provider: z.string().describe('Who speaks'),
    gender: z.string().describe('Of the voice'),
    language: z.string().describe('BCP 47'),
  })
  .meta({ id: 'Voice', description: 'A voice that an assistant may have' });
