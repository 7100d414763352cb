import type { Sql } from '@parley/kit/db';
import { type AppError, conflict } from '@parley/kit/errors';
import { isUuid } from '@parley/kit/ids';
import type { JsonObject } from '../json-object.ts';
import type { KnowledgeBases } from './ports.ts';

/**
 * Which of the ids in a document are knowledge bases of the workspace. Those that the assistant has already are not
 * asked for: a knowledge base leaves every assistant in the transaction that deletes it. `CONFLICT` where one is just
 * being deleted.
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
  const existing = await knowledgeBases.existing(tx, workspaceId, asked);
  const others = asked.filter((id) => !existing.has(id));
  // A deletion may come to nothing yet: only what is gone for good is unknown.
  if (others.length > 0 && (await knowledgeBases.isOneThere(tx, workspaceId, others))) throw beingDeleted();
  return new Set([...known, ...existing]);
}

function beingDeleted(): AppError {
  return conflict(
    'A knowledge base of config.kbStoreIds is being deleted at the moment; repeating the same request is safe',
  );
}

function idsOf(config: JsonObject = {}): string[] {
  const { kbStoreIds } = config;
  if (!Array.isArray(kbStoreIds)) return [];
  return [
    ...new Set(kbStoreIds.filter((id) => typeof id === 'string' && isUuid(id)).map((id) => id.toLowerCase())),
  ];
}
