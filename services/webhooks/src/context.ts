import { createChangeNotes } from '@parley/kit/amqp';
import { createKeyedLimiter } from '@parley/kit/concurrency';
import { internalUrlsOf } from '@parley/kit/config';
import { transaction } from '@parley/kit/db';
import { AppError } from '@parley/kit/errors';
import { createOutboundClient } from '@parley/kit/outbound';
import { contentOfTelephony } from '@parley/kit/outbox';
import { createApplyRetention, createRemover, type RemoverDeps } from '@parley/kit/removal';
import { createConsumerRuntime, type RuntimeOverrides, type RuntimeProcess } from '@parley/kit/runtime';
import { createSigningSecrets } from './clients/signing-secrets.ts';
import { createTelephony } from './clients/telephony.ts';
import type { Config } from './config.ts';
import { connectDedicated } from './database.ts';
import { createDeliveryStore } from './deliveries/deliveries.store.ts';
import { createDeliveryMetrics, deliveryGauges } from './deliveries/delivery-metrics.ts';
import { createEndpointStore } from './endpoints/endpoints.store.ts';
import { createIngest } from './events/ingest.ts';
import { PrismaClient } from './generated/prisma/client.ts';
import { createHistory } from './history/history.store.ts';
import { createResendStore } from './resend/resend.store.ts';
import { makeAttemptDays } from './retention/attempt-days.ts';
import { erasureSteps, WORKSPACE_STEPS } from './retention/erasure-steps.ts';
import { RETENTION_STEPS } from './retention/retention-steps.ts';

/** Requests that wait for a client's endpoint hold a connection each: one workspace must not use up those of the others. */
const MAX_WAITING_REQUESTS = 8;
const RETRY_AFTER_SECONDS = 5;

export type Context = Awaited<ReturnType<typeof createContext>>;

/** The composition root. */
export async function createContext(
  config: Config,
  process: RuntimeProcess,
  overrides: RuntimeOverrides = {},
) {
  const { clients, ...runtime } = await createConsumerRuntime(
    {
      name: 'webhooks',
      config,
      createPrisma: (adapter) => new PrismaClient({ adapter }),
      gauges: deliveryGauges,
      clients: {
        gateway: config.GATEWAY_INTERNAL_URL,
        telephony: config.TELEPHONY_URL,
        assistants: config.ASSISTANTS_URL,
      },
    },
    process,
    overrides,
  );
  const { lifecycle, log, clock, metrics, prisma, amqp, erasedNumbers, internalTokens } = runtime;
  const telephony = createTelephony(clients.telephony);
  const allowed = { allowCidrs: config.OUTBOUND_ALLOW_CIDRS, allowHosts: config.OUTBOUND_ALLOW_HOSTS };
  const outbound = createOutboundClient({ ...allowed, internalUrls: internalUrlsOf(config), log });
  lifecycle.onStop('outbound', () => outbound.close());
  const connections = connectDedicated(config.DATABASE_URL, { lifecycle, log });
  const limits = { perEndpoint: config.ENDPOINT_CONCURRENCY, perWorkspace: config.WORKSPACE_CONCURRENCY };
  const endpoints = createEndpointStore(prisma);
  const transact: RemoverDeps['transact'] = (work) => transaction(prisma, work);

  return {
    ...runtime,
    telephony,
    noteChange: createChangeNotes(amqp, lifecycle),
    outbound,
    allowed,
    ingest: createIngest(connections.ingest, clock),
    readContent: contentOfTelephony(
      { caller: 'webhooks', baseUrl: config.TELEPHONY_URL, internalTokens, log },
      lifecycle,
    ),
    deliveries: createDeliveryStore(connections, limits, (from, to) => makeAttemptDays(prisma, from, to)),
    onAttempt: createDeliveryMetrics(metrics),
    secrets: createSigningSecrets({
      assistants: clients.assistants,
      gateway: clients.gateway,
      noteNoSecret: endpoints.noteNoSecret,
      clock,
    }),
    endpoints,
    history: createHistory(prisma),
    resends: createResendStore(prisma),
    waitingRequests: createKeyedLimiter({
      concurrency: MAX_WAITING_REQUESTS,
      rejection: () =>
        new AppError('RATE_LIMITED', 'Too many requests of this workspace wait for webhook endpoints', {
          retryAfterSeconds: RETRY_AFTER_SECONDS,
        }),
    }),
    applyRetention: createApplyRetention({ transact, clock, steps: RETENTION_STEPS }),
    remover: createRemover({
      ...{ service: 'webhooks', amqp, erasedNumbers, transact },
      erasure: erasureSteps(telephony),
      workspace: WORKSPACE_STEPS,
    }),
  };
}
