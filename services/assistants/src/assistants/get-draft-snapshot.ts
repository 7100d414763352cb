import {
  type BodyOf,
  type getDraftSnapshot as contract,
  NATIVE_TOOL_NAMES,
  type ResponseOf,
} from '@parley/contracts';
import { notFound } from '@parley/kit/errors';
import { newId } from '@parley/kit/ids';
import { nativeSettings, provisionNativeTool } from '../tools/native-tool.ts';
import { toSnapshotTool } from '../tools/snapshot-tool.ts';
import type { Tool } from '../tools/tool.ts';
import { toolIdsOf } from './assistant.ts';
import { mergedConfig } from './config/config-draft.ts';
import { mergeNativeEntries, NATIVE_DEFAULTS, type NativeEntries } from './config/native-entries.ts';
import { type ConfigDraft, prepareConfig } from './config/prepare-config.ts';
import { withVoiceProvider } from './get-snapshot.ts';
import { knownKnowledgeBases } from './known-knowledge-bases.ts';
import type { AssistantDeps } from './lock-assistant.ts';

/**
 * The snapshot that a call would get of an unsaved configuration [dashboard.10]: validated as by POST or PATCH, with the resulting
 * native tools. Writes nothing.
 */
export async function getDraftSnapshot(
  deps: AssistantDeps,
  workspaceId: string,
  { agent_id: agentId, config: sent }: BodyOf<typeof contract>,
): Promise<ResponseOf<typeof contract>> {
  return deps.transact(async (tx) => {
    const stored = agentId === null ? undefined : await deps.assistants.find(workspaceId, agentId, tx);
    if (agentId !== null && !stored) throw notFound('Assistant');
    const owner = { id: stored?.id ?? newId(), workspaceId };
    const own = stored ? await deps.tools.listWhole(tx, workspaceId, stored.id) : [];
    const draft = stored ? mergedConfig(stored.config, sent) : newConfig(sent);
    const { document } = draft;
    const known = stored ? { document, stored: stored.config } : { document };
    const { entries, withTools } = prepareConfig(draft, {
      schema: deps.configSchema,
      defaultVoiceId: deps.catalogue.defaultVoiceId,
      knowledgeBaseIds: await knownKnowledgeBases(tx, deps, workspaceId, known),
    });
    const tools = [
      ...own.filter(({ isNative }) => !isNative),
      ...nativeTools(own, owner, entries, deps.clock.now()),
    ];
    const config = withTools(tools);
    const byId = new Map(tools.map((tool) => [tool.id, tool]));
    const inUse = toolIdsOf(config).flatMap((id) => byId.get(id) ?? []);
    return {
      agent_id: owner.id,
      agent_name: stored?.agentName ?? 'Test',
      version: stored?.version ?? 1,
      webhook_url: null,
      agent_type: stored?.agentType ?? 'Single Prompt',
      config: withVoiceProvider(config, deps.catalogue),
      tools: inUse.map((tool) => toSnapshotTool(tool, deps.secrets)),
    };
  });
}

function newConfig({ nativeTools, ...document }: Record<string, unknown>): ConfigDraft {
  return { document, entries: mergeNativeEntries(NATIVE_DEFAULTS, nativeTools) };
}

/** The enabled native tools with the settings of the draft. */
function nativeTools(
  own: readonly Tool[],
  owner: { id: string; workspaceId: string },
  entries: NativeEntries,
  now: Date,
): Tool[] {
  return NATIVE_TOOL_NAMES.filter((name) => entries[name].enabled).map((name) => {
    const stored = own.find(({ isNative, toolName }) => isNative && toolName === name);
    return stored
      ? { ...stored, ...nativeSettings(name, entries) }
      : provisionNativeTool(owner, name, entries, now);
  });
}
