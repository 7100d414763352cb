import { z } from 'zod';
import { assistantConfig } from './assistant-config.ts';
import { isoMillis, jsonObject, uuid } from './primitives.ts';
import { maskedWebhookSecret } from './webhook-secret.ts';

/** The response of create, get and update [assistants.1]. `config` is complete. */
export const assistant = z
  .object({
    id: uuid.describe('Id of the assistant'),
    agent_name: z.string().describe('Display name'),
    agent_type: z.string().describe('Prompt style'),
    config: assistantConfig,
    webhook_secret: maskedWebhookSecret.describe(
      "`********`: webhooks are signed with the assistant's own secret; null: with the workspace secret",
    ),
    updated_at: isoMillis.describe('Time of the last update'),
  })
  .meta({ id: 'Assistant', description: 'An assistant' });

/** Assistant list item: `config` has `systemPrompt` and `voice` only. */
export const assistantListItem = z
  .object({
    id: uuid.describe('Id of the assistant'),
    agent_name: z.string().describe('Display name'),
    updated_at: isoMillis.describe('Time of the last update'),
    config: z
      .object({
        systemPrompt: z.string().describe('Instructions for the assistant'),
        voice: jsonObject.describe('`voiceId`, `speed` and, if set, `provider`'),
      })
      .describe('Excerpt of the configuration'),
    inbound_phone_number: z
      .string()
      .nullable()
      .describe('A number whose inbound calls it answers; null if there is none'),
    outbound_phone_number: z
      .string()
      .nullable()
      .describe('A number that it calls from; null if there is none'),
  })
  .meta({ id: 'AssistantListItem', description: 'An assistant in a list' });

export const voice = z
  .object({
    voice_id: z.string().describe('Value for `config.voice.voiceId`'),
    voice_name: z.string().describe('Display name'),
    provider: z.string().describe('Speech provider'),
    gender: z.string().describe('Gender of the voice'),
    language: z.string().describe('BCP 47 language tag; `mul`: any language'),
    preview_url: z
      .string()
      .meta({ format: 'uri' })
      .nullable()
      .describe('URL of a sample; null if there is none'),
    available: z.boolean().describe('Whether calls can be spoken with it now'),
  })
  .meta({ id: 'Voice', description: 'An available voice' });

export const languageModel = z
  .object({
    provider: z.string().describe('Value for `config.model.provider`'),
    is_live: z.boolean().describe('Whether it listens and speaks itself, so that it needs calls with audio'),
    names: z
      .array(z.string())
      .describe('Values for `config.model.name`; empty: any model that the provider offers'),
  })
  .meta({ id: 'LanguageModel', description: 'A provider of language models' });

export const transcriber = z
  .object({
    provider: z.string().describe('Value for `config.transcriber.provider`'),
    available: z.boolean().describe('Whether it can recognize speech in calls now'),
  })
  .meta({ id: 'Transcriber', description: 'A provider that recognizes speech' });
