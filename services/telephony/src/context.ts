import { type Amqp, connectAmqp } from '@parley/kit/amqp';
import { connectService, createInternalTokens, type InternalTokens } from '@parley/kit/http';
import { createIdempotencyStore, type IdempotencyStore } from '@parley/kit/idempotency';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';
import { addDatabaseGauges, createMetrics, type Metrics, startTracing } from '@parley/kit/observability';
import { createOutbox, type Outbox } from '@parley/kit/outbox';
import { createErasedNumbers, type ErasedNumbers } from '@parley/kit/removal';
import { createSecretBox, type SecretBox } from '@parley/kit/secrets';
import { type Clock, createClock } from '@parley/kit/time';
import type { OpenAI } from 'openai';
import type { RecordingStore } from './after-call/recordings/ports.ts';
import { createRecordingFiles } from './after-call/recordings/recording-files.store.ts';
import { createRecordingLinks, type RecordingLinks } from './after-call/recordings/recording-links.ts';
import { createAgentCopies } from './assistants/agent-copies.store.ts';
import { createAssistantBriefs } from './clients/assistant-briefs.ts';
import { createAssistantSnapshots } from './clients/assistant-snapshots.ts';
import { createCampaignRetirement } from './clients/campaign-retirement.ts';
import { createKnowledgeSearch } from './clients/knowledge-search.ts';
import { createOpenAi } from './clients/openai.ts';
import type {
  AssistantBriefs,
  AssistantSnapshots,
  CampaignRetirement,
  WorkspaceSettings,
} from './clients/ports.ts';
import { createFindSuspended, createWorkspaceSettings } from './clients/workspace-settings.ts';
import type { Config } from './config.ts';
import type { Prisma, PrismaClient } from './generated/prisma/client.ts';
import { connectPrisma } from './prisma.ts';
import type { KnowledgeSearch } from './sessions/tools/search-knowledge.ts';
import { createSignal, type Signal } from './signal.ts';
import { telephonyGauges } from './telephony-gauges.ts';
import { type AccessTokens, createAccessTokens } from './web-calls/access-token.ts';
import { tokenlessAnswers } from './web-calls/tokenless-answers.store.ts';

/** Everything that telephony is made of; the one place that opens connections. */
export type Context = {
  config: Config;
  lifecycle: Lifecycle;
  log: Log;
  metrics: Metrics;
  clock: Clock;
  prisma: PrismaClient;
  amqp: Amqp;
  erasedNumbers: ErasedNumbers;
  outbox: Outbox<Prisma.TransactionClient>;
  internalTokens: InternalTokens;
  accessTokens: AccessTokens;
  idempotencyStore: IdempotencyStore;
  secrets: SecretBox;
  snapshots: AssistantSnapshots;
  briefs: AssistantBriefs;
  settings: WorkspaceSettings;
  /** The given workspaces that are suspended. */
  findSuspended: (workspaceIds: readonly string[]) => Promise<string[]>;
  campaigns: CampaignRetirement;
  knowledge: KnowledgeSearch;
  /** Undefined where the operator configured none. */
  openai: OpenAI | undefined;
  dialSignal: Signal;
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
  const internalTokens = createInternalTokens({
    service: 'telephony',
    signingKeys: config.INTERNAL_SIGNING_KEYS,
    verifyKeys: config.INTERNAL_VERIFY_KEYS,
  });
  const prisma = connectPrisma(
    {
      databaseUrl: config.DATABASE_URL,
      pool: config.DATABASE_POOL,
      readTimeoutMs: config.READ_TIMEOUT_MS,
    },
    lifecycle,
    log,
  );
  const erasedNumbers = createErasedNumbers({ client: prisma, keys: config.INTERNAL_SIGNING_KEYS });
  const bus = { url: config.AMQP_URL, prefix: config.AMQP_PREFIX, redact: erasedNumbers.redact };
  const amqp = connectAmqp({ ...bus, log, lifecycle, metrics });
  const peers = { caller: 'telephony', internalTokens, log, metrics } as const;
  const assistants = connectService(
    { ...peers, name: 'assistants', baseUrl: config.ASSISTANTS_URL },
    lifecycle,
  );
  const campaigns = connectService({ ...peers, name: 'campaigns', baseUrl: config.CAMPAIGNS_URL }, lifecycle);
  const gateway = connectService(
    { ...peers, name: 'gateway', baseUrl: config.GATEWAY_INTERNAL_URL },
    lifecycle,
  );

  return {
    config,
    lifecycle,
    log,
    metrics,
    clock,
    prisma,
    amqp,
    erasedNumbers,
    outbox: createOutbox({ prisma, databaseUrl: config.DATABASE_URL, amqp, log, lifecycle, metrics }),
    internalTokens,
    accessTokens,
    idempotencyStore: tokenlessAnswers(
      createIdempotencyStore({ sql: prisma, clock, secrets: config.INTERNAL_SIGNING_KEYS }),
      accessTokens,
    ),
    secrets: createSecretBox(config.ENCRYPTION_KEYS),
    snapshots: createAssistantSnapshots(assistants, createAgentCopies(prisma).heardOf),
    briefs: createAssistantBriefs(assistants),
    settings: createWorkspaceSettings(gateway),
    findSuspended: createFindSuspended(gateway),
    campaigns: createCampaignRetirement(campaigns),
    knowledge: createKnowledgeSearch(assistants),
    openai: createOpenAi(config),
    dialSignal: createSignal(),
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
