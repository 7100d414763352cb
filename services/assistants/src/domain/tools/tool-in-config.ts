import type { NativeToolName } from '@parley/contracts';
import { toolIdsOf } from '../assistants/assistant.ts';
import { type NativeEntries, storedEntries } from '../config/native-entries.ts';
import type { JsonObject } from '../json-object.ts';
import { isNativeToolName } from './native-parameters.ts';
import type { Tool } from './tool.ts';

// What a tool's own routes do to the configuration of its assistant (spec: Tools, Side effects on the assistant). Tools
// are in use while `toolIds` names them; `nativeTools` tells of the native ones again, in camelCase and with `""` for null.

/** With a new tool in use; a native one is switched on. */
export function withTool(config: JsonObject, tool: Tool): JsonObject {
  const toolIds = [...toolIdsOf(config), tool.id];
  return {
    ...config,
    toolIds,
    ...nativeTools(config, tool, () => ({ enabled: true, ...entrySettings(tool) })),
  };
}

/** With the settings of a native tool as they are now, on or off as it was. */
export function withSettings(config: JsonObject, tool: Tool): JsonObject {
  return { ...config, ...nativeTools(config, tool, (entry) => ({ ...entry, ...entrySettings(tool) })) };
}

/** Without the tool; the entry of a native one keeps its settings, for the next time that it is switched on. */
export function withoutTool(config: JsonObject, tool: Tool): JsonObject {
  const toolIds = toolIdsOf(config).filter((id) => id !== tool.id);
  return { ...config, toolIds, ...nativeTools(config, tool, (entry) => ({ ...entry, enabled: false })) };
}

/** Whether a native tool is on. */
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
