import { type JsonObject, ownValue } from '../../json-object.ts';
import { mergePatch } from './merge-patch.ts';
import { mergeNativeEntries, replaceNativeEntries, storedEntries } from './native-entries.ts';
import type { ConfigDraft, OwnTool } from './prepare-config.ts';

/** The stored configuration after a PATCH [assistants.6]. */
export function mergedConfig(stored: JsonObject, sent: JsonObject): ConfigDraft {
  const { nativeTools: _, ...document } = stored;
  const { nativeTools: change, ...patch } = sent;
  return {
    document: mergePatch(document, patch) as JsonObject,
    entries: mergeNativeEntries(storedEntries(stored), change),
  };
}

/** The configuration of a PUT; a missing `kbStoreIds` is kept [assistants.9]. */
export function replacedConfig(stored: JsonObject, sent: JsonObject, tools: readonly OwnTool[]): ConfigDraft {
  const { kbStoreIds } = stored;
  const { nativeTools: sentEntries, ...document } = sent;
  const listed = namesOf(document.toolIds, tools);
  return {
    document: { ...document, kbStoreIds: ownValue(document, 'kbStoreIds') ?? kbStoreIds },
    entries: replaceNativeEntries(storedEntries(stored), sentEntries, (name) => listed.has(name)),
  };
}

/** Names of the native tools in `toolIds`; invalid lists are rejected later. */
function namesOf(toolIds: unknown, tools: readonly OwnTool[]): Set<string> {
  const ids = Array.isArray(toolIds) ? toolIds.filter((id) => typeof id === 'string') : [];
  const listed = new Set(ids.map((id) => id.toLowerCase()));
  return new Set(
    tools.filter((tool) => tool.isNative && listed.has(tool.id)).map(({ toolName }) => toolName),
  );
}
