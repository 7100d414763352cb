import type { ServiceName } from '@parley/contracts';
import { createInternalTokens, type InternalTokens } from '@parley/kit/http';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';
import { createMetrics, type Metrics, startTracing } from '@parley/kit/observability';
import { connectRedis, scriptRunner } from '@parley/kit/redis';
import { createReencryption, createSecretBox, type Reencryption } from '@parley/kit/secrets';
import { type Clock, createClock } from '@parley/kit/time';
import type { Config } from './config.ts';
import { createKeyCache } from './domain/keys/key-cache.ts';
import { createKeyUseRecorder, type KeyUseRecorder } from './domain/keys/key-use.ts';
import type { KeyLookup } from './domain/keys/ports.ts';
import type { Limiter } from './domain/limits/bucket.ts';
import { createLocalLimiter } from './domain/limits/local-limiter.ts';
import { createRedisLimiter } from './domain/limits/redis-limiter.ts';
import type { WorkspaceStore } from './domain/workspaces/ports.ts';
import { createUpstream, type Upstream } from './forward/upstream.ts';
import type { PrismaClient } from './generated/prisma/client.ts';
import { createKeyStore } from './store/keys.ts';
import { connectPrisma } from './store/prisma.ts';
import { SEALED_COLUMNS } from './store/sealed-columns.ts';
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
  keys: KeyLookup;
  keyUse: KeyUseRecorder;
  workspaces: WorkspaceStore;
  reencryption: Reencryption;
  limiter: Limiter;
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
  const keyStore = createKeyStore(prisma);
  const box = createSecretBox(config.ENCRYPTION_KEYS);
  const upstream = (service: ServiceName, url: string) => createUpstream(service, url, lifecycle);

  return {
    config,
    lifecycle,
    log,
    clock,
    prisma,
    metrics: createMetrics('gateway'),
    internalTokens: createInternalTokens(config.INTERNAL_TOKEN_SECRET),
    keys: createKeyCache(keyStore),
    keyUse: createKeyUseRecorder(keyStore, clock),
    workspaces: createWorkspaceStore({ prisma, box, pepper: config.KEY_PEPPER, clock }),
    reencryption: createReencryption({ sql: prisma, box, columns: SEALED_COLUMNS }),
    limiter: createRedisLimiter(scriptRunner(redis.client), config.REDIS_PREFIX, createLocalLimiter()),
    upstreams: {
      assistants: upstream('assistants', config.ASSISTANTS_URL),
      telephony: upstream('telephony', config.TELEPHONY_URL),
      campaigns: upstream('campaigns', config.CAMPAIGNS_URL),
      webhooks: upstream('webhooks', config.WEBHOOKS_URL),
    },
  };
}
