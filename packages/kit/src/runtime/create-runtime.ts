import type { ServiceName } from '@parley/contracts';
import { type Amqp, connectAmqp } from '../amqp/index.ts';
import type { BrokerConfig, CommonConfig } from '../config/index.ts';
import { createPrismaAdapter, type PrismaAdapter, type SqlClient, type Transactional } from '../db/index.ts';
import {
  connectService,
  createInternalTokens,
  type InternalTokens,
  type ServiceClient,
} from '../http/index.ts';
import { createIdempotencyStore, type IdempotencyStore } from '../idempotency/index.ts';
import type { Lifecycle } from '../lifecycle/index.ts';
import type { Log } from '../log/index.ts';
import {
  addDatabaseGauges,
  createMetrics,
  type DatabaseGauge,
  type Metrics,
  startTracing,
} from '../observability/index.ts';
import { createOutbox, type Outbox } from '../outbox/index.ts';
import { createErasedNumbers, type ErasedNumbers } from '../removal/index.ts';
import { type Clock, createClock } from '../time/index.ts';

export type RuntimeConfig = CommonConfig & BrokerConfig;

/** Passed to a service by `runService`; tests create their own. */
export type RuntimeProcess = { lifecycle: Lifecycle; log: Log };

/** The address of another service: its base URL, optionally with the timeout of a whole call in milliseconds. */
export type ServiceAddress = string | { baseUrl: string; timeoutMs: number };

export type RuntimeOptions<
  Config extends RuntimeConfig,
  Prisma,
  Tx extends SqlClient,
  Called extends ServiceName,
> = {
  name: ServiceName;
  config: Config;
  /** Makes the service's generated Prisma client. */
  createPrisma: (
    adapter: PrismaAdapter,
  ) => Prisma & Transactional<Tx> & SqlClient & { $disconnect(): Promise<void> };
  /** Gauges of the service's database, in addition to whether it responds. */
  gauges?: (clock: Clock) => readonly DatabaseGauge[];
  /** The services that this one calls. */
  clients?: Record<Called, ServiceAddress>;
};

/** The connections and clients that every service has. */
export type Runtime<Config, Prisma, Called extends ServiceName = never> = RuntimeProcess & {
  config: Config;
  clock: Clock;
  metrics: Metrics;
  prisma: Prisma;
  amqp: Amqp;
  /** Its `redact` is applied to every consumed message. */
  erasedNumbers: ErasedNumbers;
  internalTokens: InternalTokens;
  /** Stores responses by idempotency key, if the service has that table. */
  idempotencyStore: IdempotencyStore;
  clients: Record<Called, ServiceClient>;
};

/** Overrides for tests. */
export type RuntimeOverrides = Partial<Pick<Runtime<unknown, unknown>, 'clock' | 'metrics' | 'amqp'>>;

/**
 * Opens tracing, metrics, clock, database, clients of other services, broker and outbox. Each registers its release. They are released
 * in reverse order: first the outbox and the broker, then the dependencies of their handlers.
 */
export async function createRuntime<
  Config extends RuntimeConfig,
  Prisma,
  Tx extends SqlClient,
  Called extends ServiceName = never,
>(
  options: RuntimeOptions<Config, Prisma, Tx, Called>,
  process: RuntimeProcess,
  overrides: RuntimeOverrides = {},
): Promise<Runtime<Config, Prisma, Called> & { outbox: Outbox<Tx> }> {
  const runtime = await createConsumerRuntime(options, process, overrides);
  const { amqp, metrics, prisma } = runtime;
  const outbox = createOutbox({
    ...process,
    prisma,
    databaseUrl: options.config.DATABASE_URL,
    amqp,
    metrics,
  });
  return { ...runtime, outbox };
}

/** `createRuntime` without an outbox, for a service that publishes change notes only. */
export async function createConsumerRuntime<
  Config extends RuntimeConfig,
  Prisma,
  Tx extends SqlClient,
  Called extends ServiceName = never,
>(
  { name, config, createPrisma, gauges, clients }: RuntimeOptions<Config, Prisma, Tx, Called>,
  process: RuntimeProcess,
  overrides: RuntimeOverrides = {},
) {
  const { lifecycle, log } = process;
  const stopTracing = await startTracing({
    service: name,
    otlpEndpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
  });
  lifecycle.onStop('tracing', stopTracing);
  const clock =
    overrides.clock ?? createClock({ rate: config.CLOCK_RATE, originMs: config.CLOCK_ORIGIN_MS ?? 0 });
  const metrics = overrides.metrics ?? createMetrics(name);
  addDatabaseGauges({ ...process, metrics, databaseUrl: config.DATABASE_URL }, gauges?.(clock) ?? []);
  const adapter = createPrismaAdapter({
    databaseUrl: config.DATABASE_URL,
    pool: config.DATABASE_POOL,
    readTimeoutMs: config.READ_TIMEOUT_MS,
    applicationName: `parley-${name}`,
    log,
  });
  const prisma = createPrisma(adapter);
  lifecycle.onStop('database', () => prisma.$disconnect());
  const internalTokens = createInternalTokens({
    service: name,
    signingKeys: config.INTERNAL_SIGNING_KEYS,
    verifyKeys: config.INTERNAL_VERIFY_KEYS,
  });
  const connect = (called: ServiceName, address: ServiceAddress): ServiceClient => {
    const target = typeof address === 'string' ? { baseUrl: address } : address;
    return connectService({ ...target, name: called, caller: name, internalTokens, log, metrics }, lifecycle);
  };
  const connected = Object.entries<ServiceAddress>(clients ?? {}).map(([called, address]) => [
    called,
    connect(called as Called, address),
  ]);
  const erasedNumbers = createErasedNumbers({ client: prisma, keys: config.INTERNAL_SIGNING_KEYS });
  const { redact } = erasedNumbers;
  const declares = config.AMQP_TOPOLOGY === 'declare';
  const bus = { url: config.AMQP_URL, prefix: config.AMQP_PREFIX, declares, metrics, redact };
  const amqp = overrides.amqp ?? connectAmqp({ ...process, ...bus });
  return {
    ...process,
    config,
    clock,
    metrics,
    prisma,
    amqp,
    erasedNumbers,
    internalTokens,
    idempotencyStore: createIdempotencyStore({ sql: prisma, clock, secrets: config.INTERNAL_SIGNING_KEYS }),
    clients: Object.fromEntries(connected) as Record<Called, ServiceClient>,
  };
}
