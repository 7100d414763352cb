import type { NativeEntries } from '../config/native-entries.ts';
import { isNativeToolName } from '../tools/native-parameters.ts';
import { nativeSettings } from '../tools/native-tool.ts';
import type { Tool } from '../tools/tool.ts';

/** A native tool with the settings of its entry; undefined where it has them already, or is none. */
export function followEntry(tool: Tool, entries: NativeEntries, now: Date): Tool | undefined {
  if (!tool.isNative || !isNativeToolName(tool.toolName)) return undefined;
  const settings = nativeSettings(tool.toolName, entries);
  const current: Partial<Tool> = tool;
  const differs = Object.entries(settings).some(([key, value]) => current[key as keyof Tool] !== value);
  return differs ? { ...tool, ...settings, updatedAt: now } : undefined;
}
