import { type Amqp, connectAmqp } from '@parley/kit/amqp';
import { connectPeer, createInternalTokens, type InternalTokens } from '@parley/kit/http';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';
import { addDatabaseGauges, createMetrics, type Metrics, startTracing } from '@parley/kit/observability';
import { createOutboundClient, type OutboundClient } from '@parley/kit/outbound';
import { createOutbox } from '@parley/kit/outbox';
import { type Clock, createClock } from '@parley/kit/time';
import { createCallExists } from './clients/call-exists.ts';
import { createSigningSecrets } from './clients/signing-secrets.ts';
import type { Config } from './config.ts';
import { createDeliveryMetrics } from './delivery-metrics.ts';
import type { OnAttempt } from './domain/delivery/attempt-delivery.ts';
import type { History } from './domain/delivery/keep-history.ts';
import type { DeliveryStore, SigningSecrets } from './domain/delivery/ports.ts';
import type { EndpointHealths } from './domain/endpoints/list-endpoints.ts';
import type { FindUrl } from './domain/endpoints/test-endpoint.ts';
import type { CallExists, CallWebhooks } from './domain/events/call-webhooks.ts';
import type { TakeNews } from './domain/events/ports.ts';
import type { ResendStore } from './domain/resend/ports.ts';
import type { PrismaClient } from './generated/prisma/client.ts';
import { dropAttemptDays, makeAttemptDays } from './store/attempt-days.ts';
import { createCallWebhooks } from './store/call-webhooks.ts';
import { connectDeliveries } from './store/delivery-connections.ts';
import { createDeliveryStore } from './store/delivery-store.ts';
import { createEndpointHealths } from './store/endpoint-healths.ts';
import { createFindUrl } from './store/find-url.ts';
import { connectPrisma } from './store/prisma.ts';
import { createResendStore } from './store/resends.ts';
import { sweepEvents } from './store/sweep-events.ts';
import { createTakeNews } from './store/take-news.ts';
import { webhookGauges } from './store/webhook-gauges.ts';

/** Everything that the service is made of; the one place that opens connections. */
export type Context = {
  config: Config;
  lifecycle: Lifecycle;
  log: Log;
  metrics: Metrics;
  clock: Clock;
  prisma: PrismaClient;
  amqp: Amqp;
  internalTokens: InternalTokens;
  outbound: OutboundClient;
  takeNews: TakeNews;
  deliveries: DeliveryStore;
  history: History;
  webhooks: CallWebhooks;
  resends: ResendStore;
  healths: EndpointHealths;
  findUrl: FindUrl;
  secrets: SigningSecrets;
  callExists: CallExists;
  onAttempt: OnAttempt;
};

export async function createContext(
  config: Config,
  { lifecycle, log }: { lifecycle: Lifecycle; log: Log },
): Promise<Context> {
  const stopTracing = await startTracing({
    service: 'webhooks',
    otlpEndpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
  });
  lifecycle.onStop('traces', stopTracing);
  const clock = createClock({ rate: config.CLOCK_RATE, originMs: config.CLOCK_ORIGIN_MS ?? 0 });
  const internalTokens = createInternalTokens(config.INTERNAL_TOKEN_SECRET);
  const metrics = createMetrics('webhooks');
  addDatabaseGauges({ metrics, databaseUrl: config.DATABASE_URL, log, lifecycle }, webhookGauges(clock));
  const pool = { databaseUrl: config.DATABASE_URL, pool: config.DATABASE_POOL };
  const prisma = connectPrisma(pool, lifecycle, log);
  const peers = { caller: 'webhooks', internalTokens, log, metrics } as const;
  const gateway = connectPeer({ ...peers, name: 'gateway', baseUrl: config.GATEWAY_INTERNAL_URL }, lifecycle);
  const telephony = connectPeer({ ...peers, name: 'telephony', baseUrl: config.TELEPHONY_URL }, lifecycle);
  const history = createHistory(prisma);
  const connections = connectDeliveries(config.DATABASE_URL, { lifecycle, log });
  const caps = { perEndpoint: config.ENDPOINT_CONCURRENCY, perWorkspace: config.WORKSPACE_CONCURRENCY };
  const outbound = createOutboundClient({ allowCidrs: config.OUTBOUND_ALLOW_CIDRS, log });
  lifecycle.onStop('outbound', () => outbound.close());
  const amqp = connectAmqp({ url: config.AMQP_URL, prefix: config.AMQP_PREFIX, log, lifecycle, metrics });
  // Nothing of it is awaited: what a record says leaves with the relay's next look.
  createOutbox({ prisma, databaseUrl: config.DATABASE_URL, amqp, log, lifecycle, metrics });

  return {
    config,
    lifecycle,
    log,
    clock,
    prisma,
    internalTokens,
    outbound,
    metrics,
    amqp,
    takeNews: createTakeNews(connections.news, clock, 'webhooks'),
    history,
    deliveries: createDeliveryStore(connections, caps, history.makeDays),
    webhooks: createCallWebhooks(prisma),
    resends: createResendStore(prisma),
    healths: createEndpointHealths(prisma),
    findUrl: createFindUrl(prisma),
    secrets: createSigningSecrets(gateway),
    callExists: createCallExists(telephony),
    onAttempt: createDeliveryMetrics(metrics),
  };
}

function createHistory(prisma: PrismaClient): History {
  return {
    makeDays: (from, to) => makeAttemptDays(prisma, from, to),
    dropDays: (keepFrom) => dropAttemptDays(prisma, keepFrom),
    forgetEvents: (keepFrom) => sweepEvents(prisma, keepFrom),
  };
}
