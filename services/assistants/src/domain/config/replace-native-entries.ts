import { NATIVE_TOOL_NAMES, type NativeToolName } from '@parley/contracts';
import { isJsonObject, ownValue } from '../json-object.ts';
import { NATIVE_DEFAULTS, type NativeEntries } from './native-entries.ts';

/**
 * The entries after a replacement as PUT reads it (spec: PUT /v1/assistant; D3.3): an entry that is sent has defaults
 * for the settings that it leaves out, one that isn't keeps its settings. Whether the tool is on, the entry says, or
 * else whether `toolIds` names it. Null leaves out, at any level.
 * What comes out is for `nativeEntries` to judge, wrong shapes included.
 */
export function replaceNativeEntries(
  stored: NativeEntries,
  sent: unknown,
  isListed: (name: NativeToolName) => boolean,
): unknown {
  const given = sent ?? {};
  if (!isJsonObject(given)) return given;
  const entries = NATIVE_TOOL_NAMES.map((name) => {
    const entry = ownValue(given, name) ?? undefined;
    const enabled = isListed(name);
    const whole = entry === undefined ? stored[name] : NATIVE_DEFAULTS[name];
    return [name, replaceEntry({ ...whole, enabled }, entry ?? {})];
  });
  return Object.fromEntries(entries);
}

function replaceEntry(otherwise: { enabled: boolean }, entry: unknown): unknown {
  if (!isJsonObject(entry)) return entry;
  const settings = Object.entries(otherwise).map(([key, value]) => [key, ownValue(entry, key) ?? value]);
  return Object.fromEntries(settings);
}
