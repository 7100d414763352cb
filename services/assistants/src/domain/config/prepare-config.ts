import type { ErrorDetail } from '@parley/contracts';
import { validationFailed, zodDetails } from '@parley/kit/errors';
import type { JsonObject } from '../json-object.ts';
import { type ConfigChecks, checkConfig } from './check-config.ts';
import { checkSize } from './check-size.ts';
import { completeConfig } from './complete-config.ts';
import { type NativeEntries, nativeEntries } from './native-entries.ts';
import { type OwnTool, settleToolIds } from './settle-tool-ids.ts';

/** A configuration as it was asked for, before anything is known of it; `entries` are those of `nativeTools`. */
export type ConfigDraft = { document: JsonObject; entries: unknown };

/** A configuration that may be stored, once it is known which tools the assistant has then. */
export type PreparedConfig = {
  entries: NativeEntries;
  /** With `toolIds` that follow the entries. `VALIDATION_FAILED` where they make it too big. */
  withTools(tools: readonly OwnTool[], entries?: NativeEntries): JsonObject;
};

/**
 * Completes a whole document and judges it together with its native tools (D3.3).
 * Throws `VALIDATION_FAILED` with everything that is wrong.
 */
export function prepareConfig({ document, entries }: ConfigDraft, checks: ConfigChecks): PreparedConfig {
  const config = completeConfig(document);
  const native = nativeEntries.safeParse(entries, { reportInput: true });
  const details = [
    ...checkConfig(config, checks),
    ...(native.success ? [] : zodDetails(native.error, 'config.nativeTools')),
  ];
  if (!native.success || details.length > 0) throw refused(details);
  const toolIds = config.toolIds as string[];
  // Written in one way, so that whoever deletes a knowledge base finds its id.
  const kbStoreIds = [...new Set((config.kbStoreIds as string[]).map((id) => id.toLowerCase()))];
  return {
    entries: native.data,
    withTools: (tools, settled = native.data) =>
      sized({
        ...config,
        toolIds: settleToolIds(toolIds, tools, settled),
        kbStoreIds,
        nativeTools: settled,
      }),
  };
}

/** The configuration as it is, unless it is too big to be stored. */
export function sized(config: JsonObject): JsonObject {
  const details = checkSize(config);
  if (details.length > 0) throw refused(details);
  return config;
}

/** More findings than this help nobody. */
const MOST_DETAILS = 100;

function refused(details: ErrorDetail[]): Error {
  return validationFailed(details.slice(0, MOST_DETAILS));
}
