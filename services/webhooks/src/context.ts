import { connectAmqp } from '@parley/kit/amqp';
import { internalUrlsOf } from '@parley/kit/config';
import { transaction } from '@parley/kit/db';
import { connectService, createInternalTokens } from '@parley/kit/http';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';
import { addDatabaseGauges, createMetrics, startTracing } from '@parley/kit/observability';
import { createOutboundClient } from '@parley/kit/outbound';
import { contentOfTelephony } from '@parley/kit/outbox';
import { createApplyRetention, createErasedNumbers, createRemover } from '@parley/kit/removal';
import { createClock } from '@parley/kit/time';
import { createSigningSecrets } from './clients/signing-secrets.ts';
import { createTelephony } from './clients/telephony.ts';
import { createWorkspaceSecrets } from './clients/workspace-secrets.ts';
import type { Config } from './config.ts';
import { connectDedicated, connectPrisma } from './database.ts';
import { createDeliveryStore } from './deliveries/deliveries.store.ts';
import { createDeliveryMetrics, deliveryGauges } from './deliveries/delivery-metrics.ts';
import { createEndpointStore } from './endpoints/endpoints.store.ts';
import { createIngest } from './events/ingest.ts';
import { createHistory } from './history/history.store.ts';
import { createRequestLimit } from './request-limit.ts';
import { createResendStore } from './resend/resend.store.ts';
import { makeAttemptDays } from './retention/attempt-days.ts';
import { erasureSteps, WORKSPACE_STEPS } from './retention/erasure-steps.ts';
import { RETENTION_STEPS } from './retention/retention-steps.ts';

/** Requests of one workspace that wait for its endpoints at the same time, in this process. */
const MAX_WAITING_REQUESTS = 8;

export type Context = Awaited<ReturnType<typeof createContext>>;

/** Everything the service consists of; the one place that opens connections. */
export async function createContext(config: Config, { lifecycle, log }: { lifecycle: Lifecycle; log: Log }) {
  const { DATABASE_URL: databaseUrl, OUTBOUND_ALLOW_CIDRS, OUTBOUND_ALLOW_HOSTS } = config;
  const otlpEndpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT;
  lifecycle.onStop('traces', await startTracing({ service: 'webhooks', otlpEndpoint }));
  const clock = createClock({ rate: config.CLOCK_RATE, originMs: config.CLOCK_ORIGIN_MS ?? 0 });
  const internalTokens = createInternalTokens({
    service: 'webhooks',
    signingKeys: config.INTERNAL_SIGNING_KEYS,
    verifyKeys: config.INTERNAL_VERIFY_KEYS,
  });
  const metrics = createMetrics('webhooks');
  addDatabaseGauges({ metrics, databaseUrl, log, lifecycle }, deliveryGauges(clock));
  const pool = { databaseUrl, pool: config.DATABASE_POOL, readTimeoutMs: config.READ_TIMEOUT_MS };
  const prisma = connectPrisma(pool, lifecycle, log);
  const peers = { caller: 'webhooks', internalTokens, log, metrics } as const;
  const gateway = connectService(
    { ...peers, name: 'gateway', baseUrl: config.GATEWAY_INTERNAL_URL },
    lifecycle,
  );
  const telephonyPeer = connectService(
    { ...peers, name: 'telephony', baseUrl: config.TELEPHONY_URL },
    lifecycle,
  );
  const assistants = connectService(
    { ...peers, name: 'assistants', baseUrl: config.ASSISTANTS_URL },
    lifecycle,
  );
  const telephony = createTelephony(telephonyPeer);
  const allowed = { allowCidrs: OUTBOUND_ALLOW_CIDRS, allowHosts: OUTBOUND_ALLOW_HOSTS };
  const outbound = createOutboundClient({ ...allowed, internalUrls: internalUrlsOf(config), log });
  lifecycle.onStop('outbound', () => outbound.close());
  const erasedNumbers = createErasedNumbers({ client: prisma, keys: config.INTERNAL_SIGNING_KEYS });
  const bus = { url: config.AMQP_URL, prefix: config.AMQP_PREFIX, redact: erasedNumbers.redact };
  const amqp = connectAmqp({ ...bus, log, lifecycle, metrics });
  const connections = connectDedicated(databaseUrl, { lifecycle, log });
  const limits = { perEndpoint: config.ENDPOINT_CONCURRENCY, perWorkspace: config.WORKSPACE_CONCURRENCY };
  const endpoints = createEndpointStore(prisma);
  const transact: Parameters<typeof createRemover>[0]['transact'] = (work) => transaction(prisma, work);

  return {
    ...{ config, lifecycle, log, metrics, clock, prisma, amqp, internalTokens, telephony, outbound, allowed },
    ingest: createIngest(connections.ingest, clock),
    readContent: contentOfTelephony(telephonyPeer),
    deliveries: createDeliveryStore(connections, limits, (from, to) => makeAttemptDays(prisma, from, to)),
    onAttempt: createDeliveryMetrics(metrics),
    secrets: createSigningSecrets({
      assistants,
      ofWorkspace: createWorkspaceSecrets(gateway),
      noteNoSecret: endpoints.noteNoSecret,
      clock,
    }),
    endpoints,
    history: createHistory(prisma),
    resends: createResendStore(prisma),
    limitRequests: createRequestLimit(MAX_WAITING_REQUESTS),
    applyRetention: createApplyRetention({ transact, clock, steps: RETENTION_STEPS }),
    remover: createRemover({
      ...{ service: 'webhooks', amqp, erasedNumbers, transact },
      erasure: erasureSteps(telephony),
      workspace: WORKSPACE_STEPS,
    }),
  };
}
