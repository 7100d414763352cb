import { type AppError, conflict } from '@parley/kit/errors';
import { isUuid } from '@parley/kit/ids';
import type { JsonObject } from '../json-object.ts';
import type { KnowledgeBaseStore } from '../knowledge/knowledge-bases.store.ts';
import type { Tx } from '../transact.ts';

/**
 * The ids in a document that are knowledge bases of the workspace. Ids that the assistant already has are not checked: the
 * transaction that deletes a knowledge base removes it from every assistant. `CONFLICT` if one is just being deleted.
 */
export async function knownKnowledgeBases(
  tx: Tx,
  { knowledgeBases }: { knowledgeBases: Pick<KnowledgeBaseStore, 'lockExisting' | 'hasAny'> },
  workspaceId: string,
  { document, stored }: { document: JsonObject; stored?: JsonObject },
): Promise<ReadonlySet<string>> {
  const known = new Set(idsOf(stored));
  const added = idsOf(document).filter((id) => !known.has(id));
  if (added.length === 0) return known;
  const existing = await knowledgeBases.lockExisting(tx, workspaceId, added);
  const others = added.filter((id) => !existing.has(id));
  // The deletion may still be rolled back: only a deleted base is unknown.
  if (others.length > 0 && (await knowledgeBases.hasAny(tx, workspaceId, others))) throw beingDeleted();
  return new Set([...known, ...existing]);
}

function beingDeleted(): AppError {
  return conflict('A knowledge base of config.kbStoreIds is being deleted; it is safe to repeat the request');
}

function idsOf(config: JsonObject = {}): string[] {
  const { kbStoreIds } = config;
  if (!Array.isArray(kbStoreIds)) return [];
  return [
    ...new Set(kbStoreIds.filter((id) => typeof id === 'string' && isUuid(id)).map((id) => id.toLowerCase())),
  ];
}
