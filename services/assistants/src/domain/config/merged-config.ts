import type { JsonObject } from '../json-object.ts';
import { mergePatch } from './merge-patch.ts';
import { mergeNativeEntries, storedEntries } from './native-entries.ts';
import type { ConfigDraft } from './prepare-config.ts';

/** The stored configuration with a patch, as PATCH reads it: `nativeTools` has rules of its own. */
export function mergedConfig(stored: JsonObject, sent: JsonObject): ConfigDraft {
  const { nativeTools: _, ...document } = stored;
  const { nativeTools: change, ...patch } = sent;
  return {
    document: mergePatch(document, patch) as JsonObject,
    entries: mergeNativeEntries(storedEntries(stored), change),
  };
}
