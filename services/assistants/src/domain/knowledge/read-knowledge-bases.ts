import type { listKnowledgeBases as listContract, QueryOf } from '@parley/contracts';
import { notFound } from '@parley/kit/errors';
import type { ListAnswer } from '@parley/kit/http';
import type { KnowledgeDeps } from './deps.ts';
import { type KnowledgeBase, toKnowledgeBaseAnswer } from './knowledge-base.ts';
import { nextOffset } from './next-offset.ts';
import type { KnowledgeBaseStore } from './ports.ts';

type Answer = ReturnType<typeof toKnowledgeBaseAnswer>;

export async function getKnowledgeBase(
  { knowledgeBases }: KnowledgeDeps,
  workspaceId: string,
  id: string,
): Promise<Answer> {
  return toKnowledgeBaseAnswer(await findKnowledgeBase(knowledgeBases, workspaceId, id));
}

/** Newest first. */
export async function listKnowledgeBases(
  { knowledgeBases }: KnowledgeDeps,
  workspaceId: string,
  query: QueryOf<typeof listContract>,
): Promise<ListAnswer<Answer>> {
  const { items, total } = await knowledgeBases.page(workspaceId, query);
  return {
    items: items.map(toKnowledgeBaseAnswer),
    total,
    nextCursor: nextOffset(query, items.length, total),
  };
}

/** `NOT_FOUND` where the workspace has no such knowledge base. */
export async function findKnowledgeBase(
  knowledgeBases: KnowledgeBaseStore,
  workspaceId: string,
  id: string,
): Promise<KnowledgeBase> {
  const base = await knowledgeBases.find(workspaceId, id);
  if (!base) throw noKnowledgeBase();
  return base;
}

export function noKnowledgeBase(): Error {
  return notFound('Knowledge base');
}
