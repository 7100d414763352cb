import { type Amqp, connectAmqp } from '@parley/kit/amqp';
import { createPrismaAdapter } from '@parley/kit/db';
import { connectPeer, createInternalTokens, type InternalTokens } from '@parley/kit/http';
import { createIdempotencyStore, type IdempotencyStore } from '@parley/kit/idempotency';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';
import { addDatabaseGauges, createMetrics, type Metrics, startTracing } from '@parley/kit/observability';
import { createOutbox } from '@parley/kit/outbox';
import { type Clock, createClock, realNow } from '@parley/kit/time';
import { Pool } from 'pg';
import { createAssistants } from './clients/assistants.ts';
import { createTelephony } from './clients/telephony.ts';
import type { Config } from './config.ts';
import { type Bell, createBell } from './domain/bell.ts';
import { createCompletion } from './domain/complete.ts';
import type {
  Assistants,
  AttemptStore,
  BusyNumber,
  CampaignStore,
  ClaimDials,
  ImportContacts,
  Retirements,
  Telephony,
} from './domain/ports.ts';
import { PrismaClient } from './generated/prisma/client.ts';
import { createAttemptStore } from './store/attempt-store.ts';
import { createBusyNumbers } from './store/busy-numbers.ts';
import { campaignGauges } from './store/campaign-gauges.ts';
import { createCampaignStore } from './store/campaign-store.ts';
import { createImportContacts } from './store/import-contacts.ts';
import { createClaimDials } from './store/lane-store.ts';
import { createRetirementStore } from './store/retirement-store.ts';
import { createSpools } from './store/spool.ts';

export type Context = {
  config: Config;
  log: Log;
  lifecycle: Lifecycle;
  clock: Clock;
  metrics: Metrics;
  prisma: PrismaClient;
  amqp: Amqp;
  internalTokens: InternalTokens;
  idempotencyStore: IdempotencyStore;
  campaigns: CampaignStore;
  attempts: AttemptStore;
  retirements: Retirements;
  /** Ends a campaign that has nothing left to do. */
  complete: (campaignId: string) => Promise<void>;
  importContacts: ImportContacts;
  busyNumbers: (now: Date) => Promise<BusyNumber[]>;
  claimDials: ClaimDials;
  assistants: Assistants;
  telephony: Telephony;
  /** Rung when there may be somebody to dial, and when requests are to be taken back. */
  dispatchBell: Bell;
  withdrawBell: Bell;
  windowMax: number;
};

export type Overrides = { clock?: Clock };

/** Everything that the service is made of; connections are opened here alone, each with its release. */
export async function createContext(
  config: Config,
  { lifecycle, log }: { lifecycle: Lifecycle; log: Log },
  overrides: Overrides = {},
): Promise<Context> {
  const originMs = config.CLOCK_ORIGIN_MS ?? realNow().getTime();
  const clock = overrides.clock ?? createClock({ rate: config.CLOCK_RATE, originMs });
  const metrics = createMetrics('campaigns');
  const otlpEndpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT;
  lifecycle.onStop(
    'tracing',
    await startTracing({ service: 'campaigns', ...(otlpEndpoint ? { otlpEndpoint } : {}) }),
  );
  addDatabaseGauges({ metrics, databaseUrl: config.DATABASE_URL, log, lifecycle }, campaignGauges(clock));
  const prisma = openDatabase(config, { lifecycle, log });
  const amqp = connectAmqp({ url: config.AMQP_URL, prefix: config.AMQP_PREFIX, log, lifecycle, metrics });
  const { transaction } = createOutbox({
    prisma,
    databaseUrl: config.DATABASE_URL,
    amqp,
    log,
    lifecycle,
    metrics,
  });
  const internalTokens = createInternalTokens(config.INTERNAL_TOKEN_SECRET);
  const openPeer = (name: 'assistants' | 'telephony', baseUrl: string) =>
    connectPeer({ name, caller: 'campaigns', baseUrl, internalTokens, log, metrics }, lifecycle);

  const campaigns = createCampaignStore(prisma, transaction, log);

  return {
    config,
    log,
    lifecycle,
    clock,
    metrics,
    prisma,
    amqp,
    internalTokens,
    idempotencyStore: createIdempotencyStore({ sql: prisma, clock, secret: config.INTERNAL_TOKEN_SECRET }),
    campaigns,
    attempts: createAttemptStore(prisma, transaction),
    retirements: createRetirementStore(prisma, transaction),
    complete: createCompletion({ campaigns, clock }),
    importContacts: createImportContacts(
      openImportPool(config, { lifecycle, log }),
      createSpools(config.UPLOAD_SPOOL_MB * 1024 ** 2),
    ),
    busyNumbers: createBusyNumbers(transaction),
    claimDials: createClaimDials(transaction),
    assistants: createAssistants(openPeer('assistants', config.ASSISTANTS_URL)),
    telephony: createTelephony(openPeer('telephony', config.TELEPHONY_URL)),
    dispatchBell: createBell(),
    withdrawBell: createBell(),
    windowMax: config.DIAL_WINDOW_MAX,
  };
}

type Opening = { lifecycle: Lifecycle; log: Log };

function openDatabase(config: Config, { lifecycle, log }: Opening): PrismaClient {
  const adapter = createPrismaAdapter({
    databaseUrl: config.DATABASE_URL,
    pool: config.DATABASE_POOL,
    applicationName: 'campaigns',
    log,
  });
  const prisma = new PrismaClient({ adapter });
  lifecycle.onStop('database', () => prisma.$disconnect());
  return prisma;
}

/** COPY needs a connection of the driver itself. */
function openImportPool(config: Config, { lifecycle, log }: Opening): Pool {
  const pool = new Pool({
    connectionString: config.DATABASE_URL,
    application_name: 'campaigns import',
    max: config.IMPORT_CONNECTIONS,
    connectionTimeoutMillis: 30_000,
    idle_in_transaction_session_timeout: 60_000,
    keepAlive: true,
  });
  pool.on('error', (err) => log.warn({ err }, 'database connection lost'));
  lifecycle.onStop('import connections', () => pool.end());
  return pool;
}
