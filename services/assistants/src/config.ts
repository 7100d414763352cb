import { brokerConfig, cidrList, encryptionKeys, serviceConfig, url } from '@parley/kit/config';
import { z } from 'zod';

export const configSchema = serviceConfig({
  ...brokerConfig,
  ENCRYPTION_KEYS: encryptionKeys,
  /** Addresses of clients that may be private, and plain http (D8.5). */
  OUTBOUND_ALLOW_CIDRS: cidrList,
  MAX_TOOLS_PER_ASSISTANT: z.coerce.number().int().min(1).max(1_000).default(200),
  /** Providers of models that telephony is configured for as well (`OPENAI_…` there). */
  MODEL_PROVIDERS: z
    .string()
    .default('builtin')
    .transform((value) => [...new Set(value.split(',').map((item) => item.trim()))])
    .pipe(z.array(z.enum(['builtin', 'openai'])).min(1)),
  CAMPAIGNS_URL: url,
  TELEPHONY_URL: url,
});

export type Config = Readonly<z.output<typeof configSchema>>;
