import { cidrList, encryptionKeys, serviceConfig, url } from '@parley/kit/config';
import { z } from 'zod';

export const configSchema = serviceConfig({
  /** `http`: routes alone; `worker`: dials and talks, and serves health; `all`: both in one process. */
  TELEPHONY_ROLE: z.enum(['all', 'http', 'worker']).default('all'),
  ENCRYPTION_KEYS: encryptionKeys,
  /** Addresses of clients that may be private, and plain http (D8.5). */
  OUTBOUND_ALLOW_CIDRS: cidrList,
  ASSISTANTS_URL: url,
  GATEWAY_INTERNAL_URL: url,
});

export type Config = Readonly<z.output<typeof configSchema>>;
