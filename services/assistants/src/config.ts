import {
  brokerConfig,
  cidrList,
  encryptionKeys,
  hostList,
  jsonOrFile,
  listItems,
  serviceConfig,
  url,
} from '@parley/kit/config';
import { liveModelList, speaks, speechProviderList, takenNames } from '@parley/speech/providers';
import { z } from 'zod';

/** The same list as that of telephony, of which this service keeps no keys. */
const speechProviders = jsonOrFile(speechProviderList)
  .refine((list) => list.some(speaks), 'must have a provider that speaks')
  .transform((list) => list.map(({ api_key: _, ...provider }) => provider));

/** Likewise. */
const liveModels = jsonOrFile(liveModelList).transform((list) =>
  list.map(({ api_key: _, ...model }) => model),
);

/** Only whether it is set counts. */
const isSet = z
  .string()
  .optional()
  .transform((value) => value !== undefined);

export const configSchema = serviceConfig({
  ...brokerConfig,
  ENCRYPTION_KEYS: encryptionKeys,
  /** Private addresses of clients that are allowed, also over plain http [webhooks.21]. */
  OUTBOUND_ALLOW_CIDRS: cidrList,
  OUTBOUND_ALLOW_HOSTS: hostList,
  MAX_TOOLS_PER_ASSISTANT: z.coerce.number().int().min(1).max(1_000).default(200),
  /** Of all its tools together: each live call holds them in memory. */
  MAX_TOOLS_KIB_PER_ASSISTANT: z.coerce.number().int().min(64).max(16_384).default(1_024),
  /** Telephony's server for chat and speech, which either variable configures. */
  OPENAI_BASE_URL: isSet,
  OPENAI_API_KEY: isSet,
  /** Model providers; by default `builtin`, and `openai` where one of the variables above is set. */
  MODEL_PROVIDERS: z
    .string()
    .transform((value) => [...new Set(listItems(value))])
    .pipe(z.array(z.enum(['builtin', 'openai'])).min(1))
    .optional(),
  /** Speech providers, as JSON or the path of a JSON file; the same value as telephony's. */
  SPEECH_PROVIDERS: speechProviders.optional(),
  /** Models that listen and talk themselves, likewise [assistants.23]. */
  LIVE_MODELS: liveModels.default([]),
  CAMPAIGNS_URL: url,
  TELEPHONY_URL: url,
}).superRefine((config, ctx) => {
  for (const [i, message] of takenNames(config.LIVE_MODELS, config.SPEECH_PROVIDERS ?? []))
    ctx.addIssue({ code: 'custom', path: ['LIVE_MODELS', i, 'name'], message });
});

export type Config = Readonly<z.output<typeof configSchema>>;
