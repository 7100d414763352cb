import { cidrList, encryptionKeys, redisUrl, serviceConfig, url } from '@parley/kit/config';
import { z } from 'zod';
import { peopleConfig } from './people-config.ts';

const count = z.coerce.number().int().min(1);

export const configSchema = serviceConfig({
  ...peopleConfig,
  /** The second door, for other services alone: workspace settings, health, metrics. */
  INTERNAL_PORT: z.coerce.number().int().min(0).max(65_535).default(8090),
  REDIS_URL: redisUrl,
  REDIS_PREFIX: z.string().default('parley'),
  /** Keys are stored as HMACs under it (D2.1): changing it locks every key out. */
  KEY_PEPPER: z.string().min(32),
  ENCRYPTION_KEYS: encryptionKeys,
  ASSISTANTS_URL: url,
  TELEPHONY_URL: url,
  CAMPAIGNS_URL: url,
  WEBHOOKS_URL: url,
  /** D1.6; requests per minute are a setting of each workspace. */
  RATE_LIMIT_BURST: count.default(100),
  CALL_RATE_LIMIT_PER_SECOND: count.default(5),
  CALL_RATE_LIMIT_BURST: count.default(10),
  /** Of a workspace: each sends a request to whatever public URL it names. */
  WEBHOOK_TESTS_PER_MINUTE: count.default(20),
  /** Requests a minute on routes that need no key: from one address, and by one link or token. */
  OPEN_REQUESTS_PER_MINUTE: count.default(1_200),
  LINK_REQUESTS_PER_MINUTE: count.default(300),
  /** Requests a minute whose key or session opens nothing, from one address: beyond it they aren't looked up. */
  FAILED_AUTHENTICATIONS_PER_ADDRESS_AND_MINUTE: count.default(6_000),
  /** Proxies in front of the gateway: what they say in `X-Forwarded-For` is believed, and nobody else. */
  TRUSTED_PROXIES: cidrList,
});

export type Config = Readonly<z.output<typeof configSchema>>;
