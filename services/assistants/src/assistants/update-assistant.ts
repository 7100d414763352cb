import {
  type BodyOf,
  NATIVE_TOOL_NAMES,
  type NativeToolName,
  type patchAssistant,
  type replaceAssistant,
} from '@parley/contracts';
import { AppError } from '@parley/kit/errors';
import type { ChangedBy } from '@parley/kit/http';
import { toIsoMillis } from '@parley/kit/time';
import type { JsonObject } from '../json-object.ts';
import { assistantSecretPlace, changeWebhookSecret, isSameOrigin } from '../secrets/webhook-secret.ts';
import { isNativeToolName, nativeSettings, provisionNativeTool } from '../tools/native-tool.ts';
import type { Tool } from '../tools/tool.ts';
import type { Tx } from '../transact.ts';
import { type Assistant, toAssistantResponse, WEBHOOK_URL_FIELD, webhookUrlOf } from './assistant.ts';
import { changeAssistant, recordWebhookSecret } from './change-assistant.ts';
import type { NativeEntries } from './config/native-entries.ts';
import type { OwnTool } from './config/prepare-config.ts';
import { type ConfigDraft, prepareConfig } from './config/prepare-config.ts';
import { knownKnowledgeBases } from './known-knowledge-bases.ts';
import type { AssistantDeps } from './lock-assistant.ts';
import { withLockedAssistant } from './lock-assistant.ts';

type Input = { workspaceId: string; id: string; requestId: string; by: ChangedBy };
type Body = BodyOf<typeof patchAssistant> | BodyOf<typeof replaceAssistant>;

/** Updates an assistant and its native tools while it is locked. Nothing is written if nothing changes [assistants.6]. */
export function updateAssistant(
  deps: AssistantDeps,
  { requestId, by, ...owner }: Input,
  body: Body,
  reading: ConfigReading,
): Promise<ReturnType<typeof toAssistantResponse>> {
  return withLockedAssistant(deps, owner, async (tx, held) => {
    if (body.expected_updated_at !== undefined && body.expected_updated_at !== toIsoMillis(held.updatedAt))
      throw new AppError('CONFLICT', 'The assistant has changed since `expected_updated_at`');
    const { agent_name: agentName = held.agentName, agent_type: agentType = held.agentType } = body;
    const untouched = { config: held.config, added: [], changed: [] };
    const update = body.config ? await updateConfig(tx, deps, held, body.config, reading) : untouched;
    const { config, added, changed } = update;
    const sealedWebhookSecret = changeWebhookSecret(deps.secrets, {
      sealed: held.sealedWebhookSecret,
      place: assistantSecretPlace(held.id),
      sent: body.webhook_secret,
      moves: movesReceiver(held, config),
      urlField: WEBHOOK_URL_FIELD,
      now: deps.clock.now(),
    });
    const isSame =
      agentName === held.agentName &&
      agentType === held.agentType &&
      sealedWebhookSecret === held.sealedWebhookSecret &&
      added.length + changed.length === 0 &&
      JSON.stringify(config) === JSON.stringify(held.config);
    if (isSame) return toAssistantResponse(held);
    for (const tool of added) await deps.tools.insert(tx, tool);
    for (const tool of changed) await deps.tools.save(tx, tool);
    const change = { agentName, agentType, config, sealedWebhookSecret };
    const saved = await changeAssistant(tx, deps, held, change, requestId);
    await recordWebhookSecret(tx, by, held.sealedWebhookSecret, saved);
    return toAssistantResponse(saved);
  });
}

/** Moving the receiver invalidates a stored secret [trust.11]; without a URL nothing is sent. */
function movesReceiver(held: Assistant, config: JsonObject): boolean {
  const url = webhookUrlOf(config);
  return url !== null && !isSameOrigin(webhookUrlOf(held.config), url);
}

/** How PATCH and PUT differ. */
type ConfigReading = {
  draft(stored: JsonObject, sent: JsonObject, tools: readonly OwnTool[]): ConfigDraft;
  /** Whether enabling a native tool that the assistant has never had creates it; otherwise it stays disabled. */
  provisions: boolean;
};

/** A configuration to store, with the tools to write. */
type ConfigUpdate = { config: JsonObject; added: Tool[]; changed: Tool[] };

/** Computes the new configuration of a locked assistant, and the changes of its native tools [assistants.15]. */
async function updateConfig(
  tx: Tx,
  deps: AssistantDeps,
  held: Assistant,
  sent: JsonObject,
  { draft, provisions }: ConfigReading,
): Promise<ConfigUpdate> {
  const { workspaceId, config: stored } = held;
  const now = deps.clock.now();
  const tools = await deps.tools.listOwn(tx, workspaceId, held.id);
  const native = await deps.tools.lockNative(tx, workspaceId, held.id);
  const wanted = draft(stored, sent, tools);
  const { document } = wanted;
  const knowledgeBaseIds = await knownKnowledgeBases(tx, deps, workspaceId, { document, stored });
  const prepared = prepareConfig(wanted, {
    schema: deps.configSchema,
    defaultVoiceId: deps.catalogue.defaultVoiceId,
    knowledgeBaseIds,
  });
  const missing = NATIVE_TOOL_NAMES.filter(
    (name) => prepared.entries[name].enabled && !native.some(({ toolName }) => toolName === name),
  );
  const entries = provisions ? prepared.entries : withoutTools(prepared.entries, missing);
  const added = provisions ? missing.map((name) => provisionNativeTool(held, name, entries, now)) : [];
  return {
    config: prepared.withTools([...tools, ...added], entries),
    added,
    changed: native.flatMap((tool) => applyEntry(tool, entries, now) ?? []),
  };
}

function withoutTools(entries: NativeEntries, names: readonly NativeToolName[]): NativeEntries {
  const off = names.map((name) => [name, { ...entries[name], enabled: false }]);
  return { ...entries, ...Object.fromEntries(off) };
}

/** A native tool with the settings of its entry; undefined if nothing changes. */
function applyEntry(tool: Tool, entries: NativeEntries, now: Date): Tool | undefined {
  if (!tool.isNative || !isNativeToolName(tool.toolName)) return undefined;
  const settings = nativeSettings(tool.toolName, entries);
  const current: Partial<Tool> = tool;
  const differs = Object.entries(settings).some(([key, value]) => current[key as keyof Tool] !== value);
  return differs ? { ...tool, ...settings, updatedAt: now } : undefined;
}
