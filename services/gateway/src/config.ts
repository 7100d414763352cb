import { parseUrl, ROLES } from '@parley/contracts';
import {
  brokerConfig,
  cidrList,
  encryptionKeys,
  flag,
  postgresUrl,
  redisUrl,
  serviceConfig,
  signingKeys,
  url,
  verifyKeys,
} from '@parley/kit/config';
import { z } from 'zod';

const count = z.coerce.number().int().min(1);
const pepper = z.string().min(32);

/** Variables that the service and the operator's command have in common. */
const shared = {
  /** The platform's public base URL: links in invitations start with it, and https makes cookies Secure. */
  PUBLIC_URL: url.optional(),
  INVITATION_DAYS: count.default(7),
  /** Cost of scrypt as the exponent of N; each step doubles time and memory (15: 32 MiB). */
  PASSWORD_COST: z.coerce.number().int().min(10).max(20).default(15),
  /** Defaults of public keys [trust.7]. */
  PUBLIC_KEY_CALLS_PER_MINUTE: count.max(1_000_000).default(60),
  PUBLIC_KEY_CALLS_PER_MINUTE_PER_ADDRESS: count.max(1_000_000).default(20),
  PUBLIC_KEY_MAX_LIVE_CALLS: count.max(100_000).default(10),
  PUBLIC_KEY_MAX_CALL_SECONDS: z.coerce.number().int().min(10).max(7_200).default(900),
  /**
   * The key of the stored HMACs of API keys [access.3]. Several, separated by commas: the first is used, keys of the others are
   * accepted and moved to the first.
   */
  KEY_PEPPER: z
    .string()
    .transform((value) => value.split(','))
    .pipe(z.tuple([pepper], pepper)),
  ENCRYPTION_KEYS: encryptionKeys,
  ASSISTANTS_URL: url,
  TELEPHONY_URL: url,
  CAMPAIGNS_URL: url,
  WEBHOOKS_URL: url,
};

const people = {
  /** Maximum idle time and maximum lifetime of a session (scaled by CLOCK_RATE). */
  SESSION_IDLE_MINUTES: count.default(720),
  SESSION_DAYS: count.default(14),
  /** Maximum sessions of one person; another sign-in ends the oldest. */
  SESSIONS_PER_PERSON: count.default(20),
  /** Attempts to sign in, or to use an invitation, from one address. */
  SIGN_INS_PER_ADDRESS_AND_MINUTE: count.default(20),
  /** Wrong passwords for one account, from any network: more in an hour raise an alarm. No account is locked. */
  SIGN_IN_ALARM_PER_ACCOUNT_AND_HOUR: count.default(100),
};

const grant = z.object({ workspace: z.uuid(), role: z.enum(ROLES) });
const grants = z.record(z.string(), z.union([grant, z.array(grant)]));

/** `{"parley-admins": {"workspace": "<id>", "role": "admin"}}`; a list for a group with several workspaces. */
const groupMapping = z
  .string()
  .default('{}')
  .transform((value, ctx) => {
    const parsed = grants.safeParse(parseJson(value));
    if (parsed.success)
      return Object.entries(parsed.data).flatMap(([group, of]) =>
        [of].flat().map((one) => ({ group, ...one })),
      );
    ctx.addIssue({
      code: 'custom',
      message: 'must be JSON of groups, each with {"workspace", "role"} or a list of them',
    });
    return z.NEVER;
  });

/** Carries tokens and codes: plain http only to this machine. */
const issuer = url.refine((value) => {
  const { protocol, hostname } = parseUrl(value) ?? {};
  return protocol === 'https:' || ['127.0.0.1', 'localhost', '[::1]'].includes(hostname ?? '');
}, 'must be an https URL');

/** Single sign-on by OpenID Connect [access.13]; off without an issuer. */
const singleSignOn = {
  OIDC_ISSUER: issuer.optional(),
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  OIDC_SCOPES: z.string().default('openid email profile'),
  OIDC_GROUPS_CLAIM: z.string().default('groups'),
  OIDC_GROUPS: groupMapping,
  /** Treats addresses as verified without `email_verified`: only for a provider that verifies every address. */
  OIDC_TRUST_EMAIL: flag.default(false),
  /** False: people sign in by single sign-on only. */
  PASSWORD_SIGN_IN: flag.default(true),
};

/** The operator's mail server; off without a URL. */
const mail = {
  SMTP_URL: z
    .string()
    .refine(
      (value) => URL.canParse(value) && ['smtp:', 'smtps:'].includes(new URL(value).protocol),
      'must be an smtp or smtps URL',
    )
    .optional(),
  /** The sender: `parley@example.com` or `Parley <parley@example.com>`. */
  MAIL_FROM: z
    .string()
    .regex(/^(?:[^<>\r\n]* <)?[^\s@<>]+@[^\s@<>]+>?$/, { error: 'must be an e-mail address' })
    .optional(),
};

const limits = {
  /** Burst of requests [general.18]; the rate is a setting of each workspace. */
  RATE_LIMIT_BURST: count.default(100),
  CALL_RATE_LIMIT_PER_SECOND: count.default(5),
  CALL_RATE_LIMIT_BURST: count.default(10),
  /** Maximum open connections: of all clients, and of one address that isn't a trusted proxy's. */
  MAX_CONNECTIONS: count.default(8_000),
  CONNECTIONS_PER_ADDRESS: count.default(1_000),
  /** Maximum open event streams of dashboard pages in this process. */
  MAX_EVENT_STREAMS: count.default(2_000),
  /** What a workspace may store, unless it has a quota of its own [trust.6]; by default as much as it wants. */
  STORED_MB_PER_WORKSPACE: count.optional(),
  /** Campaign contacts of a workspace; the burst is 1 GiB. */
  UPLOAD_MIB_PER_MINUTE: count.default(256),
  /** Per workspace: each test sends a request to a public URL of the client's choice. */
  WEBHOOK_TESTS_PER_MINUTE: count.default(20),
  /** Text turns of assistants in tests, per workspace: each may use the operator's model. */
  TEST_TURNS_PER_MINUTE: count.default(60),
  /** Requests on routes that need no key: from one address, and with one link or token. */
  OPEN_REQUESTS_PER_MINUTE: count.default(1_200),
  LINK_REQUESTS_PER_MINUTE: count.default(300),
  /** Failed authentications from one address; above it, credentials are rejected without a lookup. */
  FAILED_AUTHENTICATIONS_PER_ADDRESS_AND_MINUTE: count.default(6_000),
};

export const configSchema = serviceConfig({
  ...shared,
  ...people,
  ...singleSignOn,
  ...mail,
  ...limits,
  ...brokerConfig,
  /** Only for other services: workspace settings, health, metrics. */
  INTERNAL_PORT: z.coerce.number().int().min(0).max(65_535).default(8090),
  REDIS_URL: redisUrl,
  REDIS_PREFIX: z.string().default('parley'),
  /** Development: a file with keys, whose public one the demo page of the widget uses. */
  DEMO_FILE: z.string().optional(),
  /** The folder of the built dashboard; by default that of the package `@parley/dashboard`. */
  DASHBOARD_DIR: z.string().min(1).optional(),
  /** ISO 4217 code of the prices of all workspaces; only shown. */
  CURRENCY: z
    .string()
    .regex(/^[A-Z]{3}$/, { error: 'must be an ISO 4217 code such as USD' })
    .default('USD'),
  /** Retention of the audit log [trust.17]. */
  AUDIT_KEEP_DAYS: count.default(400),
  /** Proxies in front of the gateway whose `X-Forwarded-For` is trusted. */
  TRUSTED_PROXIES: cidrList,
})
  .refine(({ SMTP_URL, PUBLIC_URL }) => SMTP_URL === undefined || PUBLIC_URL !== undefined, {
    path: ['PUBLIC_URL'],
    // Otherwise a mailed link would lead to the host of the request, which any anonymous client controls.
    error: 'is required with SMTP_URL: links in mails start with it',
  })
  .refine(({ SMTP_URL, MAIL_FROM }) => SMTP_URL === undefined || MAIL_FROM !== undefined, {
    path: ['MAIL_FROM'],
    error: 'is required with SMTP_URL',
  })
  .refine(
    ({ OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET }) =>
      OIDC_ISSUER === undefined || (OIDC_CLIENT_ID && OIDC_CLIENT_SECRET),
    { path: ['OIDC_ISSUER'], error: 'requires OIDC_CLIENT_ID and OIDC_CLIENT_SECRET' },
  )
  .refine(({ PASSWORD_SIGN_IN, OIDC_ISSUER }) => PASSWORD_SIGN_IN || OIDC_ISSUER !== undefined, {
    path: ['PASSWORD_SIGN_IN'],
    error: 'can only be off with OIDC_ISSUER: otherwise no sign-in is possible',
  });

export type Config = Readonly<z.output<typeof configSchema>>;

/** Configuration of the operator's command. */
export const cliConfigSchema = z.object({
  ...shared,
  DATABASE_URL: postgresUrl,
  INTERNAL_SIGNING_KEYS: signingKeys,
  INTERNAL_VERIFY_KEYS: verifyKeys,
  GATEWAY_INTERNAL_URL: url,
  CLOCK_RATE: z.coerce.number().positive().default(1),
  CLOCK_ORIGIN_MS: z.coerce.number().int().default(0),
});

export type CliConfig = Readonly<z.output<typeof cliConfigSchema>>;

export function publicKeyDefaultsOf(config: Pick<Config, `PUBLIC_KEY_${string}` & keyof Config>) {
  return {
    calls_per_minute: config.PUBLIC_KEY_CALLS_PER_MINUTE,
    calls_per_minute_per_address: config.PUBLIC_KEY_CALLS_PER_MINUTE_PER_ADDRESS,
    max_live_calls: config.PUBLIC_KEY_MAX_LIVE_CALLS,
    max_call_duration: config.PUBLIC_KEY_MAX_CALL_SECONDS,
  };
}

function parseJson(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}
