import { STORING_SERVICES, type StoringService } from '@parley/contracts';
import { createChangeNotes } from '@parley/kit/amqp';
import { connectService } from '@parley/kit/http';
import { createIdempotencyStore } from '@parley/kit/idempotency';
import { connectRedis } from '@parley/kit/redis';
import { createRemover } from '@parley/kit/removal';
import { createConsumerRuntime, type RuntimeOverrides, type RuntimeProcess } from '@parley/kit/runtime';
import { createReencryption, createSecretBox } from '@parley/kit/secrets';
import { createCredentialCache } from './access/credential-cache.ts';
import { createUseRecorder } from './access/use-recorder.ts';
import { createExpiringKeys } from './attention/expiring-keys.store.ts';
import { createAuditLog } from './audit/audit-log.store.ts';
import { type Config, publicKeyDefaultsOf } from './config.ts';
import { createUpstream } from './forward/upstream.ts';
import { PrismaClient } from './generated/prisma/client.ts';
import { createKeyLookup } from './keys/key-lookup.store.ts';
import { createLimits } from './limits/create-limits.ts';
import { createMailTokenStore } from './mail/mail-tokens.store.ts';
import { createMailQueue } from './mail/mails.store.ts';
import { createSmtp } from './mail/smtp.ts';
import { createMemberStore } from './people/members.store.ts';
import { createPeopleStore } from './people/people.store.ts';
import { inTransaction } from './prisma.ts';
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
import { createSignInLinkStore } from './sign-in/sign-in-links.store.ts';
import { startTurns } from './turns/start-turns.ts';
import { createWorkspaceStore } from './workspaces/workspaces.store.ts';

/** The gateway's dependencies. */
export type Context = Awaited<ReturnType<typeof createContext>>;

/** Longer than one removal call takes in a service, and shorter than the job's lease. */
const JOB_TIMEOUT_MS = 8_000;

/** The composition root. */
export async function createContext(
  config: Config,
  process: RuntimeProcess,
  overrides: RuntimeOverrides = {},
) {
  const {
    // For checks within a client's request.
    clients: { assistants },
    ...runtime
  } = await createConsumerRuntime(
    {
      name: 'gateway',
      config,
      createPrisma: (adapter) => new PrismaClient({ adapter }),
      gauges: () => REMOVAL_GAUGES,
      clients: { assistants: config.ASSISTANTS_URL },
    },
    process,
    overrides,
  );
  const { lifecycle, log, metrics, clock, prisma, amqp, erasedNumbers, internalTokens } = runtime;
  const redis = await connectRedis({ url: config.REDIS_URL, log, lifecycle });
  const { KEY_PEPPER: peppers } = config;
  const [pepper] = peppers;
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
    ...runtime,
    assistants,
    noteChange: createChangeNotes(amqp, lifecycle),
    /** For jobs; clients' requests are forwarded by `upstreams`. */
    clients: forEachService((name, baseUrl) =>
      connectService(
        { name, caller: 'gateway', baseUrl, internalTokens, log, timeoutMs: JOB_TIMEOUT_MS },
        lifecycle,
      ),
    ),
    /** For requests that a page waits for. */
    attentionClients: forEachService((name, baseUrl) =>
      connectService({ name, caller: 'gateway', baseUrl, internalTokens, log }, lifecycle),
    ),
    expiringKeys: createExpiringKeys(prisma, clock),
    upstreams: forEachService((name, url) => createUpstream(name, url, { lifecycle, metrics })),
    ...createLimits({ config, redis, metrics, log }),
    turns: startTurns(lifecycle),
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
    signInLinks: createSignInLinkStore(prisma, clock),
    identities: createIdentityStore(prisma, clock),
    /** Undefined: single sign-on is off. */
    identityProvider: config.OIDC_ISSUER === undefined ? undefined : createOidc(config, log),
    /** Seals short-lived data in cookies that the browser must not read. */
    cookieBox: pepperBox(peppers, 'cookies'),
    mailTokens: createMailTokenStore(prisma, clock),
    /** Undefined: no mail server is configured. */
    mails: config.SMTP_URL === undefined ? undefined : createMailQueue(prisma, pepperBox(peppers, 'mails')),
    mailer: config.SMTP_URL === undefined ? undefined : createSmtp(config, lifecycle),
    idempotencyStore: createIdempotencyStore({
      sql: prisma,
      clock,
      secrets: peppers,
      answers: pepperBox(peppers, 'idempotent answers'),
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
