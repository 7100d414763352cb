import { type JsonObject, ownValue } from '../json-object.ts';
import { storedEntries } from './native-entries.ts';
import type { ConfigDraft } from './prepare-config.ts';
import { replaceNativeEntries } from './replace-native-entries.ts';
import type { OwnTool } from './settle-tool-ids.ts';

/** The configuration that takes the place of the stored one, as PUT reads it: `kbStoreIds` are kept if left out. */
export function replacedConfig(stored: JsonObject, sent: JsonObject, tools: readonly OwnTool[]): ConfigDraft {
  const { kbStoreIds } = stored;
  const { nativeTools: sentEntries, ...document } = sent;
  const listed = namesOf(document.toolIds, tools);
  return {
    document: { ...document, kbStoreIds: ownValue(document, 'kbStoreIds') ?? kbStoreIds },
    entries: replaceNativeEntries(storedEntries(stored), sentEntries, (name) => listed.has(name)),
  };
}

/** Names of the native tools whose ids stand in a list; what is no list names none, and is refused elsewhere. */
function namesOf(toolIds: unknown, tools: readonly OwnTool[]): Set<string> {
  const ids = Array.isArray(toolIds) ? toolIds.filter((id) => typeof id === 'string') : [];
  const listed = new Set(ids.map((id) => id.toLowerCase()));
  return new Set(
    tools.filter((tool) => tool.isNative && listed.has(tool.id)).map(({ toolName }) => toolName),
  );
}
