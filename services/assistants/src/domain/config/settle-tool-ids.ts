import { NATIVE_TOOL_NAMES } from '@parley/contracts';
import type { NativeEntries } from './native-entries.ts';

/** What the list of tools in use is settled by. */
export type OwnTool = { id: string; toolName: string; isNative: boolean };

/**
 * `toolIds` after its re-check (D3.3): only the assistant's own tools stay, each once, and native ones are in it exactly
 * while `nativeTools` has them on; those that are missing are put at its end.
 */
export function settleToolIds(
  listed: readonly string[],
  tools: readonly OwnTool[],
  entries: NativeEntries,
): string[] {
  const isOn = ({ toolName }: OwnTool): boolean =>
    NATIVE_TOOL_NAMES.some((name) => name === toolName && entries[name].enabled);
  const usable = new Set(tools.filter((tool) => !tool.isNative || isOn(tool)).map(({ id }) => id));
  const kept = listed.map((id) => id.toLowerCase()).filter((id) => usable.has(id));
  const on = tools.filter((tool) => tool.isNative && isOn(tool)).map(({ id }) => id);
  return [...new Set([...kept, ...on])];
}
