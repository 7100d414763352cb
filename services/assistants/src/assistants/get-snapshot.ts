import type {
  getAssistantSnapshot as contract,
  QueryOf,
  ResponseOf,
  getAssistantWebhookSecrets as secretsContract,
} from '@parley/contracts';
import { notFound } from '@parley/kit/errors';
import type { SecretBox } from '@parley/kit/secrets';
import { isJsonObject, type JsonObject } from '../json-object.ts';
import { assistantSecretPlace, openWebhookSecrets } from '../secrets/webhook-secret.ts';
import { toSnapshotTool } from '../tools/snapshot-tool.ts';
import { providerOf, type VoiceCatalogue } from '../voices/catalogue.ts';
import { toAssistantBrief, toolIdsOf } from './assistant.ts';
import type { AssistantStore } from './assistants.store.ts';

export type SnapshotDeps = {
  assistants: AssistantStore;
  secrets: Pick<SecretBox, 'open'>;
  catalogue: VoiceCatalogue;
};

type Input = { workspaceId: string; id: string; query: QueryOf<typeof contract> };

/** The data for a call: configuration and tools in use, with decrypted secrets. Null if `known_version` is current. */
export async function getSnapshot(
  { assistants, secrets, catalogue }: SnapshotDeps,
  { workspaceId, id, query }: Input,
): Promise<ResponseOf<typeof contract>> {
  const known = query.known_version;
  if (known !== undefined && (await assistants.findVersion(workspaceId, id)) === known) {
    return { version: known, snapshot: null };
  }
  const found = await assistants.findWithTools(workspaceId, id);
  if (!found) throw notFound('Assistant');
  const { assistant, tools } = found;
  const byId = new Map(tools.map((tool) => [tool.id, tool]));
  const inUse = toolIdsOf(assistant.config).flatMap((toolId) => byId.get(toolId) ?? []);
  const snapshot = {
    ...toAssistantBrief(assistant),
    agent_type: assistant.agentType,
    config: withVoiceProvider(assistant.config, catalogue),
    tools: inUse.map((tool) => toSnapshotTool(tool, secrets)),
  };
  return { version: assistant.version, snapshot };
}

/** Telephony has no catalogue: the provider of a hosted voice is added where the assistant names none [assistants.20]. */
export function withVoiceProvider(config: JsonObject, catalogue: VoiceCatalogue): JsonObject {
  const { voice } = config;
  if (!isJsonObject(voice) || voice.provider !== undefined) return config;
  const provider = providerOf(catalogue, voice.voiceId);
  return provider === undefined || provider === 'builtin'
    ? config
    : { ...config, voice: { ...voice, provider } };
}

/** Own signing secrets of assistants [webhooks.7]. Never logged. */
export async function getWebhookSecrets(
  { assistants, secrets }: SnapshotDeps,
  workspaceId: string,
  agentIds: readonly string[],
): Promise<ResponseOf<typeof secretsContract>> {
  const found = await assistants.findWebhookSecrets(workspaceId, agentIds);
  return found.map(({ id, version, webhookSecret }) => ({
    agent_id: id,
    version,
    webhook_secrets: openWebhookSecrets(secrets, webhookSecret, assistantSecretPlace(id)),
  }));
}
