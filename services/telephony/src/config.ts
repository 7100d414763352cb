import { cidrList, encryptionKeys, serviceConfig, url } from '@parley/kit/config';
import { z } from 'zod';

export const configSchema = serviceConfig({
  /** `http`: routes alone; `worker`: dials and talks, and serves health; `all`: both in one process. */
  TELEPHONY_ROLE: z.enum(['all', 'http', 'worker']).default('all'),
  ENCRYPTION_KEYS: encryptionKeys,
  /** Addresses of clients that may be private, and plain http (D8.5). */
  OUTBOUND_ALLOW_CIDRS: cidrList,
  /** Where the world reaches the platform: links to recordings begin with it. */
  PUBLIC_URL: url,
  /** Links to recordings are signed with it (D6.9). */
  RECORDING_URL_SECRET: z.string().min(32),
  ASSISTANTS_URL: url,
  CAMPAIGNS_URL: url,
  GATEWAY_INTERNAL_URL: url,
});

export type Config = Readonly<z.output<typeof configSchema>>;
