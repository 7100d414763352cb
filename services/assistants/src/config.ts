import { brokerConfig, cidrList, encryptionKeys, hostList, serviceConfig, url } from '@parley/kit/config';
import { z } from 'zod';
import { ownVoices } from './voices/own-voices.ts';
import { SPEECH_PROVIDER_NAMES } from './voices/provider-voices.ts';

/** A comma list, the preferred one first. */
const speechProviders = z
  .string()
  .default('builtin')
  .transform((value) => [...new Set(value.split(',').map((item) => item.trim()))])
  .pipe(z.array(z.enum(SPEECH_PROVIDER_NAMES)).min(1));

export const configSchema = serviceConfig({
  ...brokerConfig,
  ENCRYPTION_KEYS: encryptionKeys,
  /** Private addresses of clients that are allowed, also over plain http [webhooks.21]. */
  OUTBOUND_ALLOW_CIDRS: cidrList,
  OUTBOUND_ALLOW_HOSTS: hostList,
  MAX_TOOLS_PER_ASSISTANT: z.coerce.number().int().min(1).max(1_000).default(200),
  /** Of all its tools together: each live call holds them in memory. */
  MAX_TOOLS_KIB_PER_ASSISTANT: z.coerce.number().int().min(64).max(16_384).default(1_024),
  /** Model providers; telephony must be configured for them as well (`OPENAI_…` there). */
  MODEL_PROVIDERS: z
    .string()
    .default('builtin')
    .transform((value) => [...new Set(value.split(',').map((item) => item.trim()))])
    .pipe(z.array(z.enum(['builtin', 'openai'])).min(1)),
  /** Speech providers; telephony must be configured for them as well (`DEEPGRAM_…` and so on there). */
  VOICE_PROVIDERS: speechProviders,
  TRANSCRIBER_PROVIDERS: speechProviders,
  /** The operator's own list of voices, as JSON. */
  VOICES: ownVoices,
  CAMPAIGNS_URL: url,
  TELEPHONY_URL: url,
});

export type Config = Readonly<z.output<typeof configSchema>>;
