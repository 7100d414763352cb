import { type Amqp, connectAmqp } from '@parley/kit/amqp';
import { connectPeer, createInternalTokens, type InternalTokens } from '@parley/kit/http';
import { createIdempotencyStore, type IdempotencyStore } from '@parley/kit/idempotency';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';
import { addDatabaseGauges, createMetrics, type Metrics, startTracing } from '@parley/kit/observability';
import { createOutbox } from '@parley/kit/outbox';
import { createReencryption, createSecretBox, type Reencryption } from '@parley/kit/secrets';
import { createClock } from '@parley/kit/time';
import { createCampaigns } from './clients/campaigns.ts';
import { createNumbers } from './clients/telephony.ts';
import type { Config } from './config.ts';
import type { AssistantDeps } from './domain/assistants/deps.ts';
import { createTurns } from './domain/assistants/turns.ts';
import { createConfigSchema } from './domain/config/config-schema.ts';
import type { KnowledgeDeps } from './domain/knowledge/deps.ts';
import type { NumberLinks, Numbers } from './domain/numbers/ports.ts';
import type { ToolDeps } from './domain/tools/deps.ts';
import type { PrismaClient } from './generated/prisma/client.ts';
import { createAssistantStore } from './store/assistants.ts';
import { createKnowledgeBaseStore } from './store/knowledge-bases.ts';
import { createDocumentStore } from './store/knowledge-documents.ts';
import { createNumberLinks } from './store/number-links.ts';
import { createPassageIndex } from './store/passage-index.ts';
import { connectPrisma } from './store/prisma.ts';
import { SEALED_COLUMNS } from './store/sealed-columns.ts';
import { createToolStore } from './store/tools.ts';
import { createTransact } from './store/transact.ts';

/** Everything that the service is made of; the one place that opens connections. */
export type Context = AssistantDeps &
  ToolDeps &
  KnowledgeDeps & {
    config: Config;
    lifecycle: Lifecycle;
    log: Log;
    metrics: Metrics;
    prisma: PrismaClient;
    amqp: Amqp;
    internalTokens: InternalTokens;
    idempotencyStore: IdempotencyStore;
    numberLinks: NumberLinks;
    numbers: Numbers;
    reencryption: Reencryption;
  };

/** How long those who change one assistant wait for each other, before they open a transaction. */
const TURN_WAIT_MS = 10_000;

export async function createContext(
  config: Config,
  { lifecycle, log }: { lifecycle: Lifecycle; log: Log },
): Promise<Context> {
  const stopTracing = await startTracing({
    service: 'assistants',
    otlpEndpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
  });
  lifecycle.onStop('traces', stopTracing);
  const clock = createClock({ rate: config.CLOCK_RATE, originMs: config.CLOCK_ORIGIN_MS ?? 0 });
  const metrics = createMetrics('assistants');
  addDatabaseGauges({ metrics, databaseUrl: config.DATABASE_URL, log, lifecycle }, []);
  const pool = { databaseUrl: config.DATABASE_URL, pool: config.DATABASE_POOL };
  const prisma = connectPrisma(pool, lifecycle, log);
  const amqp = connectAmqp({ url: config.AMQP_URL, prefix: config.AMQP_PREFIX, log, lifecycle, metrics });
  const outbox = createOutbox({ prisma, databaseUrl: config.DATABASE_URL, amqp, log, lifecycle, metrics });
  const internalTokens = createInternalTokens(config.INTERNAL_TOKEN_SECRET);
  const peer = (name: 'campaigns' | 'telephony', baseUrl: string) =>
    connectPeer({ name, caller: 'assistants', baseUrl, internalTokens, log, metrics }, lifecycle);
  const secrets = createSecretBox(config.ENCRYPTION_KEYS);
  const allowCidrs = config.OUTBOUND_ALLOW_CIDRS;

  return {
    config,
    lifecycle,
    log,
    metrics,
    clock,
    prisma,
    amqp,
    transact: createTransact(outbox),
    turns: createTurns(TURN_WAIT_MS),
    internalTokens,
    idempotencyStore: createIdempotencyStore({ sql: prisma, clock, secret: config.INTERNAL_TOKEN_SECRET }),
    secrets,
    reencryption: createReencryption({ sql: prisma, box: secrets, columns: SEALED_COLUMNS }),
    assistants: createAssistantStore(prisma),
    tools: createToolStore(prisma),
    numberLinks: createNumberLinks(prisma),
    numbers: createNumbers(peer('telephony', config.TELEPHONY_URL)),
    knowledgeBases: createKnowledgeBaseStore(prisma),
    documents: createDocumentStore(prisma),
    passages: createPassageIndex(prisma),
    campaigns: createCampaigns(peer('campaigns', config.CAMPAIGNS_URL)),
    configSchema: createConfigSchema({ allowCidrs, modelProviders: config.MODEL_PROVIDERS }),
    allowCidrs,
    maxTools: config.MAX_TOOLS_PER_ASSISTANT,
  };
}
