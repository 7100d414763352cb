import { NATIVE_TOOL_NAMES, type NativeToolName } from '@parley/contracts';
import type { Sql } from '@parley/kit/db';
import type { NativeEntries } from '../config/native-entries.ts';
import { type ConfigDraft, prepareConfig } from '../config/prepare-config.ts';
import type { OwnTool } from '../config/settle-tool-ids.ts';
import type { JsonObject } from '../json-object.ts';
import { provisionNativeTool } from '../tools/native-tool.ts';
import type { Tool } from '../tools/tool.ts';
import type { Assistant } from './assistant.ts';
import type { AssistantDeps } from './deps.ts';
import { followEntry } from './follow-entry.ts';
import { knownKnowledgeBases } from './known-knowledge-bases.ts';

/** How an update reads the configuration that is sent. */
export type ConfigReading = {
  draft(stored: JsonObject, sent: JsonObject, tools: readonly OwnTool[]): ConfigDraft;
  /** Whether a native tool that is switched on comes into being if the assistant has never had it; else it stays off. */
  provisions: boolean;
};

/** A configuration to be stored, and the tools that are written with it. */
export type ConfigUpdate = { config: JsonObject; added: Tool[]; changed: Tool[] };

/** Works out the configuration of an assistant that the transaction holds, and what its native tools become (D3.3). */
export async function updateConfig(
  tx: Sql,
  deps: AssistantDeps,
  held: Assistant,
  sent: JsonObject,
  { draft, provisions }: ConfigReading,
): Promise<ConfigUpdate> {
  const { workspaceId, config: stored } = held;
  const now = deps.clock.now();
  const tools = await deps.tools.ownOf(tx, workspaceId, held.id);
  const native = await deps.tools.holdNative(tx, workspaceId, held.id);
  const wanted = draft(stored, sent, tools);
  const { document } = wanted;
  const knowledgeBaseIds = await knownKnowledgeBases(tx, deps, workspaceId, { document, stored });
  const prepared = prepareConfig(wanted, { schema: deps.configSchema, knowledgeBaseIds });
  const missing = NATIVE_TOOL_NAMES.filter(
    (name) => prepared.entries[name].enabled && !native.some(({ toolName }) => toolName === name),
  );
  const entries = provisions ? prepared.entries : withoutTools(prepared.entries, missing);
  const added = provisions ? missing.map((name) => provisionNativeTool(held, name, entries, now)) : [];
  return {
    config: prepared.withTools([...tools, ...added], entries),
    added,
    changed: native.flatMap((tool) => followEntry(tool, entries, now) ?? []),
  };
}

function withoutTools(entries: NativeEntries, names: readonly NativeToolName[]): NativeEntries {
  const off = names.map((name) => [name, { ...entries[name], enabled: false }]);
  return { ...entries, ...Object.fromEntries(off) };
}
