import { type ErrorDetail, NATIVE_TOOL_NAMES } from '@parley/contracts';
import { validationFailed, zodDetails } from '@parley/kit/errors';
import type { ZodType } from 'zod';
import type { JsonObject } from '../../json-object.ts';
import { completeConfig } from './complete-config.ts';
import { type NativeEntries, nativeEntries } from './native-entries.ts';

/** A requested configuration before validation; `entries` are those of `nativeTools`. */
export type ConfigDraft = { document: JsonObject; entries: unknown };

/** A valid configuration that still needs the ids of the assistant's tools. */
type PreparedConfig = {
  entries: NativeEntries;
  /** With `toolIds` that match the entries. Throws `VALIDATION_FAILED` if the result is too large. */
  withTools(tools: readonly OwnTool[], entries?: NativeEntries): JsonObject;
};

/**
 * Completes a document and validates it together with its native tools [assistants.7]. Throws `VALIDATION_FAILED` with all
 * errors.
 */
export function prepareConfig({ document, entries }: ConfigDraft, checks: ConfigChecks): PreparedConfig {
  const config = completeConfig(document, checks.defaultVoiceId);
  const native = nativeEntries.safeParse(entries, { reportInput: true });
  const details = [
    // Entries of the wrong shape are reported below.
    ...checkConfig({ ...config, nativeTools: native.data }, checks),
    ...(native.success ? [] : zodDetails(native.error, 'config.nativeTools')),
  ];
  if (!native.success || details.length > 0) throw refused(details);
  const toolIds = config.toolIds as string[];
  // In canonical form, so that deleting a knowledge base finds its id.
  const kbStoreIds = [...new Set((config.kbStoreIds as string[]).map((id) => id.toLowerCase()))];
  return {
    entries: native.data,
    withTools: (tools, settled = native.data) =>
      sized({
        ...config,
        toolIds: reconcileToolIds(toolIds, tools, settled),
        kbStoreIds,
        nativeTools: settled,
      }),
  };
}

/** Returns the configuration, or throws if it is too large to store. */
export function sized(config: JsonObject): JsonObject {
  const details = checkSize(config);
  if (details.length > 0) throw refused(details);
  return config;
}

/** Maximum errors in a response. */
const MAX_DETAILS = 100;

function refused(details: ErrorDetail[]): Error {
  return validationFailed(details.slice(0, MAX_DETAILS));
}

type ConfigChecks = {
  schema: ZodType;
  defaultVoiceId: string;
  /** The ids of the document that are knowledge bases of the workspace. */
  knowledgeBaseIds: ReadonlySet<string>;
};

/** Errors of a completed configuration, except `nativeTools`. */
function checkConfig(config: JsonObject, { schema, knowledgeBaseIds }: ConfigChecks): ErrorDetail[] {
  const { success, error } = schema.safeParse(config, { reportInput: true });
  if (!success) return zodDetails(error, 'config');
  return unknownKnowledgeBases(config.kbStoreIds as string[], knowledgeBaseIds);
}

function unknownKnowledgeBases(ids: readonly string[], known: ReadonlySet<string>): ErrorDetail[] {
  return ids.flatMap((id, i) => {
    if (known.has(id.toLowerCase())) return [];
    const path = `config.kbStoreIds.${i}`;
    return [
      { path, code: 'unknown_id' as const, message: `${path} is not a knowledge base of the workspace` },
    ];
  });
}

const MAX_BYTES = 256 * 1024;
const MAX_LEVELS = 32;

/**
 * Errors about size and depth [assistants.12], and about numbers beyond the range of a double, which JSON would store as
 * null.
 */
function checkSize(config: JsonObject): ErrorDetail[] {
  const found = { deep: false, infinite: false };
  walk(config, 1, found);
  const bytes = Buffer.byteLength(JSON.stringify(config));
  const problems = [
    found.deep && `must not be nested deeper than ${MAX_LEVELS} levels`,
    bytes > MAX_BYTES && `must have at most ${MAX_BYTES} bytes with its defaults (it has ${bytes})`,
    found.infinite && 'must not contain numbers beyond the range of a 64-bit float',
  ];
  return problems
    .filter((problem) => problem !== false)
    .map((problem) => ({ path: 'config', code: 'too_big', message: `config ${problem}` }));
}

/** The configuration itself is level 1. Bodies have at most 64 levels, so recursion is safe. */
function walk(value: unknown, level: number, found: { deep: boolean; infinite: boolean }): void {
  if (typeof value === 'number' && !Number.isFinite(value)) found.infinite = true;
  if (typeof value !== 'object' || value === null) return;
  if (level > MAX_LEVELS) found.deep = true;
  for (const child of Object.values(value)) walk(child, level + 1, found);
}

/** A tool of the assistant, for `toolIds`. */
export type OwnTool = { id: string; toolName: string; isNative: boolean };

/**
 * `toolIds` [assistants.15]: only the assistant's own tools, without duplicates; native tools exactly while they are
 * enabled, missing ones at the end.
 */
export function reconcileToolIds(
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
