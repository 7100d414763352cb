import { cidrList, serviceConfig, url } from '@parley/kit/config';
import { z } from 'zod';

const count = z.coerce.number().int().min(1);

export const configSchema = serviceConfig({
  GATEWAY_INTERNAL_URL: url,
  TELEPHONY_URL: url,
  OUTBOUND_ALLOW_CIDRS: cidrList,
  /** Attempts under way at once: in this process, of one assistant's endpoint, of one workspace. */
  DELIVERY_CONCURRENCY: count.default(128),
  ENDPOINT_CONCURRENCY: count.default(4),
  WORKSPACE_CONCURRENCY: count.default(64),
});

export type Config = Readonly<z.output<typeof configSchema>>;
