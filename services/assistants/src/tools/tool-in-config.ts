import type { NativeToolName } from '@parley/contracts';
import { toolIdsOf } from '../assistants/assistant.ts';
import { type NativeEntries, storedEntries } from '../assistants/config/native-entries.ts';
import type { JsonObject } from '../json-object.ts';
import { isNativeToolName } from './native-tool.ts';
import type { Tool } from './tool.ts';

// Changes of an assistant's configuration by the routes of its tools [tools.3]. A tool is in use while `toolIds` contains
// it; `nativeTools` repeats the settings of native ones, in camelCase and with `""` for null.

/** Adds a tool; a native one is enabled. */
export function withTool(config: JsonObject, tool: Tool): JsonObject {
  const toolIds = [...toolIdsOf(config), tool.id];
  return {
    ...config,
    toolIds,
    ...nativeTools(config, tool, () => ({ enabled: true, ...entrySettings(tool) })),
  };
}

/** Copies the settings of a native tool; it stays enabled or disabled. */
export function withSettings(config: JsonObject, tool: Tool): JsonObject {
  return { ...config, ...nativeTools(config, tool, (entry) => ({ ...entry, ...entrySettings(tool) })) };
}

/** Removes a tool; the entry of a native one keeps its settings. */
export function withoutTool(config: JsonObject, tool: Tool): JsonObject {
  const toolIds = toolIdsOf(config).filter((id) => id !== tool.id);
  return { ...config, toolIds, ...nativeTools(config, tool, (entry) => ({ ...entry, enabled: false })) };
}

/** Whether a native tool is enabled. */
export function isOn(config: JsonObject, { toolName }: Tool): boolean {
  return isNativeToolName(toolName) && storedEntries(config)[toolName].enabled;
}

type Entry = NativeEntries[NativeToolName];

function nativeTools(config: JsonObject, { toolName }: Tool, change: (entry: Entry) => Entry): JsonObject {
  if (!isNativeToolName(toolName)) return {};
  const entries = storedEntries(config);
  return { nativeTools: { ...entries, [toolName]: change(entries[toolName]) } };
}

function entrySettings(tool: Tool): JsonObject {
  switch (tool.toolName) {
    case 'transfer_call':
      return { mode: tool.transferCallMode, staticDestination: tool.transferCallDestination ?? '' };
    case 'send_sms':
      return { smsContentType: tool.smsContentType, smsStaticMessage: tool.smsStaticMessage ?? '' };
    default:
      return {};
  }
}
