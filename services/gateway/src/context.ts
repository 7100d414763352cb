import { STORING_SERVICES, type StoringService } from '@parley/contracts';
import { connectAmqp } from '@parley/kit/amqp';
import { connectService, createInternalTokens } from '@parley/kit/http';
import { createIdempotencyStore } from '@parley/kit/idempotency';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';
import { addDatabaseGauges, createMetrics, startTracing } from '@parley/kit/observability';
import { connectRedis } from '@parley/kit/redis';
import { createErasedNumbers, createRemover } from '@parley/kit/removal';
import { createReencryption, createSecretBox } from '@parley/kit/secrets';
import { createClock } from '@parley/kit/time';
import { createCredentialCache } from './access/credential-cache.ts';
import { createUseRecorder } from './access/use-recorder.ts';
import { createAuditLog } from './audit/audit-log.store.ts';
import { type Config, publicKeyDefaultsOf } from './config.ts';
import { createUpstream } from './forward/upstream.ts';
import { createKeyLookup } from './keys/key-lookup.store.ts';
import { createLimits } from './limits/create-limits.ts';
import { createMailTokenStore } from './mail/mail-tokens.store.ts';
import { createMailQueue } from './mail/mails.store.ts';
import { createSmtp } from './mail/smtp.ts';
import { createMemberStore } from './people/members.store.ts';
import { createPeopleStore } from './people/people.store.ts';
import { connectPrisma, inTransaction } from './prisma.ts';
import { createRemovalJobs, REMOVAL_GAUGES } from './removals/removal-jobs.store.ts';
import { ERASURE_STEPS, WORKSPACE_STEPS } from './removals/removal-steps.ts';
import { createRetentionStore } from './removals/retention.store.ts';
import { pepperBox } from './secrets/pepper-box.ts';
import { SEALED_COLUMNS } from './secrets/sealed-columns.ts';
import { createSessionStore } from './sessions/sessions.store.ts';
import { createIdentityStore } from './sign-in/identities.store.ts';
import { createOidc } from './sign-in/oidc.ts';
import { createPasswords } from './sign-in/password.ts';
import { createSecondFactorStore } from './sign-in/second-factors.store.ts';
import { createWorkspaceStore } from './workspaces/workspaces.store.ts';

/** The gateway's dependencies. */
export type Context = Awaited<ReturnType<typeof createContext>>;

/** Longer than a service works on one call of a removal, and shorter than the job's lease. */
const JOB_TIMEOUT_MS = 8_000;

/** The composition root: the only place that opens connections. */
export async function createContext(config: Config, { lifecycle, log }: { lifecycle: Lifecycle; log: Log }) {
  const clock = createClock({ rate: config.CLOCK_RATE, originMs: config.CLOCK_ORIGIN_MS ?? 0 });
  const stopTracing = await startTracing({
    service: 'gateway',
    otlpEndpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
  });
  lifecycle.onStop('traces', stopTracing);
  const { DATABASE_URL: databaseUrl, KEY_PEPPER: pepper } = config;
  const connection = { databaseUrl, pool: config.DATABASE_POOL, readTimeoutMs: config.READ_TIMEOUT_MS };
  const prisma = connectPrisma(connection, lifecycle, log);
  const redis = await connectRedis({ url: config.REDIS_URL, log, lifecycle });
  const metrics = createMetrics('gateway');
  addDatabaseGauges({ metrics, databaseUrl, log, lifecycle }, REMOVAL_GAUGES);
  const erasedNumbers = createErasedNumbers({ client: prisma, keys: config.INTERNAL_SIGNING_KEYS });
  const amqp = connectAmqp({
    redact: erasedNumbers.redact,
    url: config.AMQP_URL,
    prefix: config.AMQP_PREFIX,
    publishes: false,
    log,
    lifecycle,
    metrics,
  });
  const internalTokens = createInternalTokens({
    service: 'gateway',
    signingKeys: config.INTERNAL_SIGNING_KEYS,
    verifyKeys: config.INTERNAL_VERIFY_KEYS,
  });
  const urls: Record<StoringService, string> = {
    assistants: config.ASSISTANTS_URL,
    telephony: config.TELEPHONY_URL,
    campaigns: config.CAMPAIGNS_URL,
    webhooks: config.WEBHOOKS_URL,
  };
  const forEachService = <T>(create: (name: StoringService, baseUrl: string) => T) =>
    Object.fromEntries(STORING_SERVICES.map((name) => [name, create(name, urls[name])])) as Record<
      StoringService,
      T
    >;
  const box = createSecretBox(config.ENCRYPTION_KEYS);
  const keyDefaults = publicKeyDefaultsOf(config);
  const keyLookup = createKeyLookup(prisma, keyDefaults);
  const sessionStore = createSessionStore(prisma, config.SESSIONS_PER_PERSON);

  return {
    config,
    lifecycle,
    log,
    metrics,
    clock,
    prisma,
    amqp,
    internalTokens,
    /** For jobs; clients' requests are forwarded by `upstreams`. */
    clients: forEachService((name, baseUrl) =>
      connectService(
        { name, caller: 'gateway', baseUrl, internalTokens, log, timeoutMs: JOB_TIMEOUT_MS },
        lifecycle,
      ),
    ),
    /** For checks within a client's request. */
    assistants: connectService(
      { name: 'assistants', caller: 'gateway', baseUrl: urls.assistants, internalTokens, log, metrics },
      lifecycle,
    ),
    upstreams: forEachService((name, url) => createUpstream(name, url, { lifecycle, metrics })),
    ...createLimits({ config, redis, metrics, log }),
    keyDefaults,
    keys: createCredentialCache(keyLookup.findByHash),
    keyUse: createUseRecorder(keyLookup, clock),
    sessions: createCredentialCache(sessionStore.findByHash),
    sessionUse: createUseRecorder(sessionStore, clock),
    sessionStore,
    people: createPeopleStore(prisma, clock),
    members: createMemberStore(prisma, clock),
    workspaces: createWorkspaceStore({ prisma, box, pepper, clock }),
    passwords: createPasswords(config.PASSWORD_COST, pepper),
    secondFactors: createSecondFactorStore({ prisma, box, clock }),
    identities: createIdentityStore(prisma, clock),
    /** Undefined: single sign-on is off. */
    identityProvider: config.OIDC_ISSUER === undefined ? undefined : createOidc(config, log),
    /** Seals short-lived data in cookies that the browser must not read. */
    cookieBox: pepperBox(pepper, 'cookies'),
    mailTokens: createMailTokenStore(prisma, clock),
    /** Undefined: no mail server is configured. */
    mails: config.SMTP_URL === undefined ? undefined : createMailQueue(prisma, pepperBox(pepper, 'mails')),
    mailer: config.SMTP_URL === undefined ? undefined : createSmtp(config, lifecycle),
    idempotencyStore: createIdempotencyStore({
      sql: prisma,
      clock,
      secrets: [pepper],
      answers: pepperBox(pepper, 'idempotent answers'),
    }),
    auditLog: createAuditLog(prisma),
    reencryption: createReencryption({ sql: prisma, box, columns: SEALED_COLUMNS }),
    removals: createRemovalJobs({ prisma, box, pepper, clock }),
    ownRemover: createRemover({
      service: 'gateway',
      amqp,
      erasedNumbers,
      transact: (work) => inTransaction(prisma, work),
      erasure: ERASURE_STEPS,
      workspace: WORKSPACE_STEPS,
    }),
    retention: createRetentionStore(prisma),
  };
}
