import { brokerConfig, cidrList, hostList, serviceConfig, url } from '@parley/kit/config';
import { z } from 'zod';

const count = z.coerce.number().int().min(1);

const days = z.coerce.number().int().min(1).max(36_500);

export const configSchema = serviceConfig({
  ...brokerConfig,
  GATEWAY_INTERNAL_URL: url,
  TELEPHONY_URL: url,
  ASSISTANTS_URL: url,
  /** Never called: an internal address that webhooks must not reach [webhooks.22]. */
  CAMPAIGNS_URL: url.optional(),
  OUTBOUND_ALLOW_CIDRS: cidrList,
  OUTBOUND_ALLOW_HOSTS: hostList,
  /** Attempts in progress: of this process, of one assistant's endpoint, of one workspace. */
  DELIVERY_CONCURRENCY: count.default(512),
  ENDPOINT_CONCURRENCY: count.default(4),
  WORKSPACE_CONCURRENCY: count.default(256),
  /** By the stack's clock. Attempts are removed by whole days, finished events one by one. */
  ATTEMPTS_KEEP_DAYS: days.default(90),
  EVENTS_KEEP_DAYS: days.default(90),
});

export type Config = Readonly<z.output<typeof configSchema>>;
