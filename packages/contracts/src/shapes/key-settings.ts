import { z } from 'zod';
import { normalizeOrigin } from '../origins.ts';
import { uuid } from './primitives.ts';

/** All settings are sent in a header between services, which limits their size. */
const MAX_LISTED = 50;

const origin = z
  .string()
  .max(255, { abort: true })
  .refine((text) => normalizeOrigin(text) !== undefined, {
    error: 'must be an origin such as https://shop.example.com, or https://*.example.com for its subdomains',
  })
  .overwrite((text) => normalizeOrigin(text) ?? text)
  .meta({ examples: ['https://shop.example.com'] });

const ofNetwork = { error: 'must be an IP address or a network in CIDR notation' };

const network = z
  .union([z.cidrv4(ofNetwork), z.cidrv6(ofNetwork), z.ipv4(ofNetwork), z.ipv6(ofNetwork)], ofNetwork)
  .meta({ examples: ['203.0.113.0/24'] });

const variableName = z
  .string()
  .min(1)
  .max(64)
  .meta({ examples: ['contact_name'] });

/** Restrictions of a key [trust.7] [trust.9]. Null is the default: no limit, or the default limit of public keys. */
export const keySettings = z.object({
  agent_ids: z
    .array(uuid.toLowerCase())
    .min(1)
    .max(MAX_LISTED)
    .nullable()
    .describe('The only assistants that the key can use; null: all assistants of the workspace'),
  allowed_origins: z
    .array(origin)
    .min(1)
    .max(MAX_LISTED)
    .nullable()
    .describe(
      'Public keys: allowed origins of pages, compared by scheme, host and port; `https://*.example.com` matches ' +
        'every subdomain. Null: any page, and requests without an `Origin`',
    ),
  calls_per_minute: z
    .int()
    .min(1)
    .max(1_000_000)
    .nullable()
    .describe('Public keys: maximum calls created per minute; null: the default limit'),
  calls_per_minute_per_address: z
    .int()
    .min(1)
    .max(1_000_000)
    .nullable()
    .describe(
      'Public keys: maximum calls created per minute from one IP address (IPv6: one /64 network); null: the default ' +
        'limit',
    ),
  max_live_calls: z
    .int()
    .min(1)
    .max(100_000)
    .nullable()
    .describe(
      'Public keys: maximum concurrent calls, within the limit of the workspace; null: the default limit',
    ),
  max_call_duration: z
    .int()
    .min(10)
    .max(7_200)
    .nullable()
    .describe(
      "Public keys: maximum call duration in seconds, if the assistant's is not shorter; the call then ends with " +
        '`timeout`',
    ),
  variables: z
    .array(variableName)
    .max(MAX_LISTED)
    .nullable()
    .describe(
      'Public keys: names of the `dynamic_variables` that a page can set; null: any. At most 4 KiB in total',
    ),
  read_only: z
    .boolean()
    .describe('Private keys: requests that change something are rejected with `FORBIDDEN`'),
  allowed_networks: z
    .array(network)
    .min(1)
    .max(MAX_LISTED)
    .nullable()
    .describe('Private keys: IP addresses and networks that can use the key; null: any'),
});

export type KeySettings = z.output<typeof keySettings>;

/** The settings of each type of key. */
export const SETTINGS_OF = {
  private: ['agent_ids', 'read_only', 'allowed_networks'],
  public: [
    'agent_ids',
    'allowed_origins',
    'calls_per_minute',
    'calls_per_minute_per_address',
    'max_live_calls',
    'max_call_duration',
    'variables',
  ],
} as const satisfies Record<'private' | 'public', readonly (keyof KeySettings)[]>;

/** As in requests: missing fields stay unchanged, or have the default. */
export const someKeySettings = keySettings.partial();
export type SomeKeySettings = z.output<typeof someKeySettings>;
