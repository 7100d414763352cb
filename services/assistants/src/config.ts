import { cidrList, encryptionKeys, serviceConfig, url } from '@parley/kit/config';
import type { z } from 'zod';

export const configSchema = serviceConfig({
  ENCRYPTION_KEYS: encryptionKeys,
  /** Addresses of clients that may be private, and plain http (D8.5). */
  OUTBOUND_ALLOW_CIDRS: cidrList,
  CAMPAIGNS_URL: url,
  TELEPHONY_URL: url,
});

export type Config = Readonly<z.output<typeof configSchema>>;
