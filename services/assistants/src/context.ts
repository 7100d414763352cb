import { createKeyedMutex } from '@parley/kit/concurrency';
import { createRemover } from '@parley/kit/removal';
import { createRuntime, type RuntimeOverrides, type RuntimeProcess } from '@parley/kit/runtime';
import { createReencryption, createSecretBox } from '@parley/kit/secrets';
import { hasOpenAi, speechProvidersOf } from '@parley/speech/providers';
import { createAssistantStore } from './assistants/assistants.store.ts';
import { concurrentChange } from './assistants/concurrent-change.ts';
import { createConfigSchema } from './assistants/config/config-schema.ts';
import { createCampaigns } from './clients/campaigns.ts';
import { createSpeechAvailability } from './clients/speech-availability.ts';
import { createNumbers } from './clients/telephony.ts';
import type { Config } from './config.ts';
import { PrismaClient } from './generated/prisma/client.ts';
import { createDocumentStore } from './knowledge/documents.store.ts';
import { createKnowledgeBaseStore } from './knowledge/knowledge-bases.store.ts';
import { createPassageIndex } from './knowledge/passages.store.ts';
import { createNumberLinks } from './numbers/number-links.store.ts';
import { ERASURE_STEPS, WORKSPACE_STEPS } from './removals/removal-steps.ts';
import { SEALED_COLUMNS } from './secrets/sealed-columns.ts';
import { createParameterCheck } from './tools/parameter-check.ts';
import { createToolStore } from './tools/tools.store.ts';
import { createTransact } from './transact.ts';
import { createCatalogue } from './voices/catalogue.ts';

/** Maximum wait of a change for other changes of the same assistant in this process. */
const CHANGE_TIMEOUT_MS = 10_000;

export type Context = Awaited<ReturnType<typeof createContext>>;

/** The composition root. */
export async function createContext(
  config: Config,
  process: RuntimeProcess,
  overrides: RuntimeOverrides = {},
) {
  const { outbox, clients, ...runtime } = await createRuntime(
    {
      name: 'assistants',
      config,
      createPrisma: (adapter) => new PrismaClient({ adapter }),
      clients: { campaigns: config.CAMPAIGNS_URL, telephony: config.TELEPHONY_URL },
    },
    process,
    overrides,
  );
  const { prisma, amqp, erasedNumbers } = runtime;
  const transact = createTransact(outbox);
  const secrets = createSecretBox(config.ENCRYPTION_KEYS);
  const allowed = { allowCidrs: config.OUTBOUND_ALLOW_CIDRS, allowHosts: config.OUTBOUND_ALLOW_HOSTS };
  const textModels = config.MODEL_PROVIDERS ?? (hasOpenAi(config) ? ['builtin', 'openai'] : ['builtin']);
  const liveModels = config.LIVE_MODELS.map(({ name }) => name);
  const modelProviders = [...textModels, ...liveModels];
  // Whatever MODEL_PROVIDERS says: it is about chat only [running.12].
  const catalogue = createCatalogue(speechProvidersOf(config.SPEECH_PROVIDERS, config), config.LIVE_MODELS);
  return {
    ...runtime,
    transact,
    // Waiting changes of one assistant queue before they take a database connection.
    oneAtATime: createKeyedMutex({ timeoutMs: CHANGE_TIMEOUT_MS, timeoutError: concurrentChange }),
    secrets,
    reencryption: createReencryption({ sql: prisma, box: secrets, columns: SEALED_COLUMNS }),
    remover: createRemover({
      service: 'assistants',
      amqp,
      erasedNumbers,
      transact,
      erasure: ERASURE_STEPS,
      workspace: WORKSPACE_STEPS,
    }),
    assistants: createAssistantStore(prisma),
    tools: createToolStore(prisma),
    knowledgeBases: createKnowledgeBaseStore(prisma),
    documents: createDocumentStore(prisma),
    passages: createPassageIndex(prisma),
    numberLinks: createNumberLinks(prisma),
    numbers: createNumbers(clients.telephony),
    campaigns: createCampaigns(clients.campaigns),
    checkParameters: createParameterCheck(),
    configSchema: createConfigSchema({ ...allowed, modelProviders, catalogue }),
    catalogue,
    modelProviders,
    speechAvailability: createSpeechAvailability(clients.telephony),
    allowed,
    maxTools: config.MAX_TOOLS_PER_ASSISTANT,
    maxToolsKib: config.MAX_TOOLS_KIB_PER_ASSISTANT,
  };
}
