import { brokerConfig, cidrList, serviceConfig, url } from '@parley/kit/config';
import { z } from 'zod';

const count = z.coerce.number().int().min(1);

const days = z.coerce.number().int().min(1).max(36_500);

export const configSchema = serviceConfig({
  ...brokerConfig,
  GATEWAY_INTERNAL_URL: url,
  TELEPHONY_URL: url,
  OUTBOUND_ALLOW_CIDRS: cidrList,
  /** Attempts under way at once: in this process, of one assistant's endpoint, of one workspace. */
  DELIVERY_CONCURRENCY: count.default(512),
  ENDPOINT_CONCURRENCY: count.default(4),
  WORKSPACE_CONCURRENCY: count.default(256),
  /** Of the stack's clock: attempts go by whole days, events that are over one by one. */
  ATTEMPTS_KEEP_DAYS: days.default(30),
  EVENTS_KEEP_DAYS: days.default(90),
});

export type Config = Readonly<z.output<typeof configSchema>>;
