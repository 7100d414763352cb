import { type Amqp, connectAmqp } from '@parley/kit/amqp';
import { connectPeer, createInternalTokens, type InternalTokens } from '@parley/kit/http';
import { createIdempotencyStore, type IdempotencyStore } from '@parley/kit/idempotency';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';
import { addDatabaseGauges, createMetrics, type Metrics, startTracing } from '@parley/kit/observability';
import { createOutbox, type Outbox } from '@parley/kit/outbox';
import { createSecretBox, type SecretBox } from '@parley/kit/secrets';
import { type Clock, createClock } from '@parley/kit/time';
import type { OpenAI } from 'openai';
import { createAssistantBriefs } from './clients/assistant-briefs.ts';
import { createAssistantSnapshots } from './clients/assistant-snapshots.ts';
import { createCampaignRetirement } from './clients/campaign-retirement.ts';
import { createKnowledgeSearch } from './clients/knowledge-search.ts';
import { createOpenAi } from './clients/openai.ts';
import { createWorkspaceSettings } from './clients/workspace-settings.ts';
import type { Config } from './config.ts';
import type {
  AssistantBriefs,
  AssistantSnapshots,
  CampaignRetirement,
  WorkspaceSettings,
} from './domain/ports.ts';
import type { RecordingStore } from './domain/recordings/ports.ts';
import { createRecordingLinks, type RecordingLinks } from './domain/recordings/recording-links.ts';
import { createSignal, type Signal } from './domain/signal.ts';
import type { KnowledgeSearch } from './domain/tools/search-knowledge.ts';
import { type AccessTokens, createAccessTokens } from './domain/web-calls/access-token.ts';
import type { Prisma, PrismaClient } from './generated/prisma/client.ts';
import { createAgentCopies } from './store/agent-copies.ts';
import { connectPrisma } from './store/prisma.ts';
import { createRecordingFiles } from './store/recording-files.ts';
import { telephonyGauges } from './store/telephony-gauges.ts';
import { tokenlessAnswers } from './store/tokenless-answers.ts';

/** Everything that telephony is made of; the one place that opens connections. */
export type Context = {
  config: Config;
  lifecycle: Lifecycle;
  log: Log;
  metrics: Metrics;
  clock: Clock;
  prisma: PrismaClient;
  amqp: Amqp;
  outbox: Outbox<Prisma.TransactionClient>;
  internalTokens: InternalTokens;
  accessTokens: AccessTokens;
  idempotencyStore: IdempotencyStore;
  secrets: SecretBox;
  snapshots: AssistantSnapshots;
  briefs: AssistantBriefs;
  settings: WorkspaceSettings;
  campaigns: CampaignRetirement;
  knowledge: KnowledgeSearch;
  /** Undefined where the operator configured none. */
  openai: OpenAI | undefined;
  dialSignal: Signal;
  stopSignal: Signal;
  arrivalSignal: Signal;
  webSignal: Signal;
  recordingLinks: RecordingLinks;
  recordings: RecordingStore;
};

export async function createContext(
  config: Config,
  { lifecycle, log }: { lifecycle: Lifecycle; log: Log },
): Promise<Context> {
  const stopTracing = await startTracing({
    service: 'telephony',
    otlpEndpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
  });
  lifecycle.onStop('traces', stopTracing);
  const clock = createClock({ rate: config.CLOCK_RATE, originMs: config.CLOCK_ORIGIN_MS ?? 0 });
  const metrics = createMetrics('telephony');
  addDatabaseGauges({ metrics, databaseUrl: config.DATABASE_URL, log, lifecycle }, telephonyGauges(clock));
  const accessTokens = createAccessTokens(config.RECORDING_URL_SECRET);
  const internalTokens = createInternalTokens(config.INTERNAL_TOKEN_SECRET);
  const prisma = connectPrisma(
    { databaseUrl: config.DATABASE_URL, pool: config.DATABASE_POOL },
    lifecycle,
    log,
  );
  const amqp = connectAmqp({ url: config.AMQP_URL, prefix: config.AMQP_PREFIX, log, lifecycle, metrics });
  const peers = { caller: 'telephony', internalTokens, log, metrics } as const;
  const assistants = connectPeer({ ...peers, name: 'assistants', baseUrl: config.ASSISTANTS_URL }, lifecycle);
  const campaigns = connectPeer({ ...peers, name: 'campaigns', baseUrl: config.CAMPAIGNS_URL }, lifecycle);
  const gateway = connectPeer({ ...peers, name: 'gateway', baseUrl: config.GATEWAY_INTERNAL_URL }, lifecycle);

  return {
    config,
    lifecycle,
    log,
    metrics,
    clock,
    prisma,
    amqp,
    outbox: createOutbox({ prisma, databaseUrl: config.DATABASE_URL, amqp, log, lifecycle, metrics }),
    internalTokens,
    accessTokens,
    idempotencyStore: tokenlessAnswers(
      createIdempotencyStore({ sql: prisma, clock, secret: config.INTERNAL_TOKEN_SECRET }),
      accessTokens,
    ),
    secrets: createSecretBox(config.ENCRYPTION_KEYS),
    snapshots: createAssistantSnapshots(assistants, createAgentCopies(prisma).heardOf),
    briefs: createAssistantBriefs(assistants),
    settings: createWorkspaceSettings(gateway),
    campaigns: createCampaignRetirement(campaigns),
    knowledge: createKnowledgeSearch(assistants),
    openai: createOpenAi(config),
    dialSignal: createSignal(),
    stopSignal: createSignal(),
    arrivalSignal: createSignal(),
    webSignal: createSignal(),
    recordings: createRecordingFiles({
      folder: config.RECORDINGS_DIR,
      keepFreeBytes: config.RECORDINGS_KEEP_FREE_MB * 1024 ** 2,
    }),
    recordingLinks: createRecordingLinks({
      publicUrl: config.PUBLIC_URL,
      secret: config.RECORDING_URL_SECRET,
      clock,
    }),
  };
}
