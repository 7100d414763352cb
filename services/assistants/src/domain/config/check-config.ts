import type { ErrorDetail } from '@parley/contracts';
import { zodDetails } from '@parley/kit/errors';
import type { ZodType } from 'zod';
import type { JsonObject } from '../json-object.ts';

export type ConfigChecks = {
  schema: ZodType;
  /** Knowledge bases of the workspace, of those that the document names. */
  knowledgeBaseIds: ReadonlySet<string>;
};

/** What is wrong with a completed configuration, as a whole (D3.3); `nativeTools` is judged by `readNativeEntries`. */
export function checkConfig(config: JsonObject, { schema, knowledgeBaseIds }: ConfigChecks): ErrorDetail[] {
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
