import { connectAmqp } from '@parley/kit/amqp';
import { createWakeUp } from '@parley/kit/concurrency';
import { connectService, createInternalTokens } from '@parley/kit/http';
import { createIdempotencyStore } from '@parley/kit/idempotency';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';
import { addDatabaseGauges, createMetrics, startTracing } from '@parley/kit/observability';
import { createOutbox } from '@parley/kit/outbox';
import { createApplyRetention, createErasedNumbers, createRemover } from '@parley/kit/removal';
import { type Clock, createClock } from '@parley/kit/time';
import { createAttemptStore } from './attempts/attempts.store.ts';
import { campaignGauges } from './campaigns/campaign-gauges.ts';
import { createCampaignStore } from './campaigns/campaigns.store.ts';
import { createCompletion } from './campaigns/complete.ts';
import { createAssistants } from './clients/assistants.ts';
import { createTelephony } from './clients/telephony.ts';
import type { Config } from './config.ts';
import { createContactStore } from './contacts/contacts.store.ts';
import { connectImportPool, connectPrisma } from './database.ts';
import { createBusyNumbers, createClaimDials } from './dispatch/claim-dials.ts';
import { waitingContacts } from './explain/waiting-contacts.store.ts';
import { ERASURE_STEPS, WORKSPACE_STEPS } from './retention/erasure-steps.ts';
import { RETENTION_STEPS } from './retention/retention-steps.ts';
import { createRetirementStore } from './retirements/retirements.store.ts';
import { createImportContacts } from './uploads/import-contacts.ts';
import { createSpools } from './uploads/spool.ts';

export type Context = Awaited<ReturnType<typeof createContext>>;

export type Overrides = { clock?: Clock };

/** Everything the service consists of; the one place that opens connections. */
export async function createContext(
  config: Config,
  { lifecycle, log }: { lifecycle: Lifecycle; log: Log },
  overrides: Overrides = {},
) {
  const clock =
    overrides.clock ?? createClock({ rate: config.CLOCK_RATE, originMs: config.CLOCK_ORIGIN_MS ?? 0 });
  const metrics = createMetrics('campaigns');
  const otlpEndpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT;
  lifecycle.onStop('tracing', await startTracing({ service: 'campaigns', otlpEndpoint }));
  const databaseUrl = config.DATABASE_URL;
  addDatabaseGauges({ metrics, databaseUrl, log, lifecycle }, campaignGauges(clock));
  const prisma = connectPrisma(config, { lifecycle, log });
  const erasedNumbers = createErasedNumbers({ client: prisma, keys: config.INTERNAL_SIGNING_KEYS });
  const bus = { url: config.AMQP_URL, prefix: config.AMQP_PREFIX, redact: erasedNumbers.redact };
  const amqp = connectAmqp({ ...bus, log, lifecycle, metrics });
  const { transaction } = createOutbox({ prisma, databaseUrl, amqp, log, lifecycle, metrics });
  const internalTokens = createInternalTokens({
    service: 'campaigns',
    signingKeys: config.INTERNAL_SIGNING_KEYS,
    verifyKeys: config.INTERNAL_VERIFY_KEYS,
  });
  const connect = (name: 'assistants' | 'telephony', baseUrl: string) =>
    connectService({ name, caller: 'campaigns', baseUrl, internalTokens, log, metrics }, lifecycle);
  const transact: Parameters<typeof createRemover>[0]['transact'] = (work) => transaction(work);
  const campaigns = createCampaignStore(prisma, transaction, log);

  return {
    ...{ config, log, lifecycle, clock, metrics, prisma, amqp, internalTokens },
    idempotencyStore: createIdempotencyStore({ sql: prisma, clock, secrets: config.INTERNAL_SIGNING_KEYS }),
    applyRetention: createApplyRetention({ transact, clock, steps: RETENTION_STEPS }),
    remover: createRemover({
      ...{ service: 'campaigns', amqp, erasedNumbers, transact },
      erasure: ERASURE_STEPS,
      workspace: WORKSPACE_STEPS,
    }),
    campaigns,
    contacts: createContactStore(prisma),
    waitingContacts: (campaignId: string, now: Date) => waitingContacts(prisma, campaignId, now),
    attempts: createAttemptStore(prisma, transaction),
    retirements: createRetirementStore(prisma, transaction),
    complete: createCompletion({ campaigns, clock }),
    importContacts: createImportContacts(
      connectImportPool(config, { lifecycle, log }),
      createSpools(config.UPLOAD_SPOOL_MB * 1024 ** 2),
      config.IMPORT_CONNECTIONS,
    ),
    busyNumbers: createBusyNumbers(transaction),
    claimDials: createClaimDials(transaction),
    assistants: createAssistants(connect('assistants', config.ASSISTANTS_URL)),
    telephony: createTelephony(connect('telephony', config.TELEPHONY_URL)),
    dispatchWakeUp: createWakeUp(),
    withdrawWakeUp: createWakeUp(),
    windowMax: config.DIAL_WINDOW_MAX,
  };
}
