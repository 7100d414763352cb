import type { Sql } from '@parley/kit/db';
import { isUuid } from '@parley/kit/ids';
import type { JsonObject } from '../json-object.ts';
import type { KnowledgeBases } from './ports.ts';

/**
 * Which of the ids in a document are knowledge bases of the workspace. Those that the assistant has already are not
 * asked for: a knowledge base leaves every assistant in the transaction that deletes it.
 */
export async function knownKnowledgeBases(
  tx: Sql,
  { knowledgeBases }: { knowledgeBases: KnowledgeBases },
  workspaceId: string,
  { document, stored }: { document: JsonObject; stored?: JsonObject },
): Promise<ReadonlySet<string>> {
  const known = new Set(idsOf(stored));
  const asked = idsOf(document).filter((id) => !known.has(id));
  if (asked.length === 0) return known;
  return new Set([...known, ...(await knowledgeBases.existing(tx, workspaceId, asked))]);
}

function idsOf(config: JsonObject = {}): string[] {
  const { kbStoreIds } = config;
  if (!Array.isArray(kbStoreIds)) return [];
  return [
    ...new Set(kbStoreIds.filter((id) => typeof id === 'string' && isUuid(id)).map((id) => id.toLowerCase())),
  ];
}
