import { hkdfSync } from 'node:crypto';
import type { ServiceName } from '@parley/contracts';
import { createInternalTokens, type InternalTokens } from '@parley/kit/http';
import { createIdempotencyStore, type IdempotencyStore } from '@parley/kit/idempotency';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';
import { addDatabaseGauges, createMetrics, type Metrics, startTracing } from '@parley/kit/observability';
import { connectRedis, scriptRunner } from '@parley/kit/redis';
import { createReencryption, createSecretBox, type Reencryption } from '@parley/kit/secrets';
import { type Clock, createClock } from '@parley/kit/time';
import type { Config } from './config.ts';
import { type Briefly, rememberBriefly } from './domain/access/remember-briefly.ts';
import { createUseRecorder, type UseRecorder } from './domain/access/use-recorder.ts';
import type { KnownKey } from './domain/keys/ports.ts';
import type { Limiter } from './domain/limits/bucket.ts';
import { createFailureLimit, type FailureLimit } from './domain/limits/limit-failures.ts';
import { createLocalLimiter } from './domain/limits/local-limiter.ts';
import { createOutageWatch } from './domain/limits/outage-watch.ts';
import { createRedisLimiter } from './domain/limits/redis-limiter.ts';
import { createPasswords, type Passwords } from './domain/people/password.ts';
import type { KnownSession, MemberStore, PeopleStore, SessionStore } from './domain/people/ports.ts';
import type { WorkspaceStore } from './domain/workspaces/ports.ts';
import { createUpstream, type Upstream } from './forward/upstream.ts';
import type { PrismaClient } from './generated/prisma/client.ts';
import { createKeyStore } from './store/keys.ts';
import { createMemberStore } from './store/members.ts';
import { createPeopleStore } from './store/people.ts';
import { connectPrisma } from './store/prisma.ts';
import { SEALED_COLUMNS } from './store/sealed-columns.ts';
import { createSessionStore } from './store/sessions.ts';
import { createWorkspaceStore } from './store/workspaces.ts';

/** Everything that the gateway is made of; the one place that opens connections. */
export type Context = {
  config: Config;
  lifecycle: Lifecycle;
  log: Log;
  metrics: Metrics;
  clock: Clock;
  prisma: PrismaClient;
  internalTokens: InternalTokens;
  keys: Briefly<KnownKey>;
  keyUse: UseRecorder;
  sessions: Briefly<KnownSession>;
  sessionUse: UseRecorder;
  sessionStore: SessionStore;
  people: PeopleStore;
  members: MemberStore;
  passwords: Passwords;
  idempotencyStore: IdempotencyStore;
  workspaces: WorkspaceStore;
  reencryption: Reencryption;
  limiter: Limiter;
  failures: FailureLimit;
  upstreams: Record<Exclude<ServiceName, 'gateway'>, Upstream>;
};

export async function createContext(
  config: Config,
  { lifecycle, log }: { lifecycle: Lifecycle; log: Log },
): Promise<Context> {
  const clock = createClock({ rate: config.CLOCK_RATE, originMs: config.CLOCK_ORIGIN_MS ?? 0 });
  const stopTracing = await startTracing({
    service: 'gateway',
    otlpEndpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
  });
  lifecycle.onStop('traces', stopTracing);
  const prisma = connectPrisma(config.DATABASE_URL, config.DATABASE_POOL, lifecycle, log);
  const redis = await connectRedis({ url: config.REDIS_URL, log, lifecycle });
  const metrics = createMetrics('gateway');
  addDatabaseGauges({ metrics, databaseUrl: config.DATABASE_URL, log, lifecycle }, []);
  metrics.gauge('parley_redis_up', 'Whether Redis answers; limits are local without it', [], (gauge) =>
    gauge.set(Number(redis.isUp())),
  );
  const judgedLocally = metrics.counter(
    'parley_limits_judged_locally_total',
    'Requests that were held to limits of this process alone, since Redis did not judge',
  );
  const limiter = createRedisLimiter(
    scriptRunner(redis.client),
    config.REDIS_PREFIX,
    createLocalLimiter(),
    createOutageWatch(log, () => judgedLocally.inc()),
  );
  const keyStore = createKeyStore(prisma);
  const sessionStore = createSessionStore(prisma, config.SESSIONS_PER_PERSON);
  const box = createSecretBox(config.ENCRYPTION_KEYS);
  const upstream = (service: ServiceName, url: string) =>
    createUpstream(service, url, { lifecycle, metrics });

  return {
    config,
    lifecycle,
    log,
    clock,
    prisma,
    metrics,
    internalTokens: createInternalTokens(config.INTERNAL_TOKEN_SECRET),
    keys: rememberBriefly(keyStore.findByHash),
    keyUse: createUseRecorder(keyStore, clock),
    sessions: rememberBriefly(sessionStore.findByHash),
    sessionUse: createUseRecorder(sessionStore, clock),
    sessionStore,
    people: createPeopleStore(prisma, clock),
    members: createMemberStore(prisma, clock),
    passwords: createPasswords(config.PASSWORD_COST),
    idempotencyStore: createIdempotencyStore({
      sql: prisma,
      clock,
      secret: config.KEY_PEPPER,
      answers: answerBox(config.KEY_PEPPER),
    }),
    workspaces: createWorkspaceStore({ prisma, box, pepper: config.KEY_PEPPER, clock }),
    reencryption: createReencryption({ sql: prisma, box, columns: SEALED_COLUMNS }),
    limiter,
    failures: createFailureLimit(limiter, config.FAILED_AUTHENTICATIONS_PER_ADDRESS_AND_MINUTE),
    upstreams: {
      assistants: upstream('assistants', config.ASSISTANTS_URL),
      telephony: upstream('telephony', config.TELEPHONY_URL),
      campaigns: upstream('campaigns', config.CAMPAIGNS_URL),
      webhooks: upstream('webhooks', config.WEBHOOKS_URL),
    },
  };
}

/**
 * Answers under idempotency keys show new keys and invitations: they are sealed for their day by what keys themselves stand
 * under, which isn't rotated as `ENCRYPTION_KEYS` are.
 */
function answerBox(pepper: string) {
  const key = new Uint8Array(hkdfSync('sha256', pepper, '', 'idempotent answers', 32));
  return createSecretBox([{ id: 'pepper', key }]);
}
