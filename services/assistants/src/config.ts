import { cidrList, encryptionKeys, serviceConfig, url } from '@parley/kit/config';
import type { z } from 'zod';

export const configSchema = serviceConfig({
  ENCRYPTION_KEYS: encryptionKeys,
  /** Addresses of clients that may be private, and plain http (D8.5). */
  OUTBOUND_ALLOW_CIDRS: cidrList,
  /** Where the model provider `openai` is reached; without it no assistant may name it (D3.3). */
  OPENAI_BASE_URL: url.optional(),
});

export type Config = Readonly<z.output<typeof configSchema>>;
