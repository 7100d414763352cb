import { createChangeNotes } from '@parley/kit/amqp';
import { createWakeUp } from '@parley/kit/concurrency';
import { createRuntime, type RuntimeOverrides, type RuntimeProcess } from '@parley/kit/runtime';
import { createSecretBox } from '@parley/kit/secrets';
import { openRecordingStore } from './after-call/recordings/open-store.ts';
import { createRecordingLinks } from './after-call/recordings/recording-links.ts';
import { createAgentCopies } from './assistants/agent-copies.store.ts';
import { createAssistantBriefs } from './clients/assistant-briefs.ts';
import { createAssistantSnapshots } from './clients/assistant-snapshots.ts';
import { createCampaignRetirement } from './clients/campaign-retirement.ts';
import { createDraftSnapshots } from './clients/draft-snapshots.ts';
import { createKnowledgeSearch } from './clients/knowledge-search.ts';
import { createOpenAi } from './clients/openai.ts';
import { createFindSuspended, createWorkspaceSettings } from './clients/workspace-settings.ts';
import type { Config } from './config.ts';
import { createFindEngine } from './engines/find-engine.ts';
import { PrismaClient } from './generated/prisma/client.ts';
import { createOwnServer } from './own-server.ts';
import { telephonyGauges } from './telephony-gauges.ts';
import { createAccessTokens } from './web-calls/access-token.ts';
import { withoutAccessTokens } from './web-calls/without-access-tokens.store.ts';

export type Context = Awaited<ReturnType<typeof createContext>>;

/** The composition root of both process types. */
export async function createContext(
  config: Config,
  process: RuntimeProcess,
  overrides: RuntimeOverrides = {},
) {
  const {
    clients: { assistants, campaigns, gateway },
    ...runtime
  } = await createRuntime(
    {
      name: 'telephony',
      config,
      createPrisma: (adapter) => new PrismaClient({ adapter }),
      gauges: telephonyGauges,
      clients: {
        assistants: config.ASSISTANTS_URL,
        campaigns: config.CAMPAIGNS_URL,
        gateway: config.GATEWAY_INTERNAL_URL,
      },
    },
    process,
    overrides,
  );
  const { prisma, clock } = runtime;
  const openai = createOpenAi(config);
  const accessTokens = createAccessTokens(config.RECORDING_URL_SECRET);
  return {
    ...runtime,
    accessTokens,
    idempotencyStore: withoutAccessTokens(runtime.idempotencyStore, accessTokens),
    secrets: createSecretBox(config.ENCRYPTION_KEYS),
    snapshots: createAssistantSnapshots(assistants, createAgentCopies(prisma).knownVersions),
    briefs: createAssistantBriefs(assistants),
    drafts: createDraftSnapshots(assistants),
    /** Notifies dashboard pages of changes that publish no message. */
    noteChange: createChangeNotes(runtime.amqp, runtime.lifecycle),
    settings: createWorkspaceSettings(gateway),
    /** The given workspaces that are suspended. */
    findSuspended: createFindSuspended(gateway),
    campaigns: createCampaignRetirement(campaigns),
    knowledge: createKnowledgeSearch(assistants),
    /** Undefined: no provider is configured. */
    openai,
    findEngine: createFindEngine({
      openai,
      timeoutMs: config.OPENAI_TIMEOUT_SECONDS * 1_000,
      defaultModel: config.OPENAI_MODEL,
    }),
    dialWakeUp: createWakeUp(),
    ownServer: createOwnServer(config),
    ...(await openRecordingStore(config, runtime)),
    recordingLinks: createRecordingLinks({
      publicUrl: config.PUBLIC_URL,
      secrets: config.RECORDING_URL_SECRET,
      clock,
    }),
  };
}
