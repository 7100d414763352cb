import type {
  getDocument as getContract,
  listKnowledgeBases as listContract,
  listDocuments as listDocumentsContract,
  QueryOf,
  ResponseOf,
} from '@parley/contracts';
import { notFound } from '@parley/kit/errors';
import { type ListPage, toOffsetPage } from '@parley/kit/http';
import type { KnowledgeDeps } from './deps.ts';
import { toDocumentResponse } from './document.ts';
import { type KnowledgeBase, toKnowledgeBaseResponse } from './knowledge-base.ts';
import type { KnowledgeBaseStore } from './knowledge-bases.store.ts';

type Answer = ReturnType<typeof toKnowledgeBaseResponse>;

export async function getKnowledgeBase(
  { knowledgeBases }: KnowledgeDeps,
  workspaceId: string,
  id: string,
): Promise<Answer> {
  return toKnowledgeBaseResponse(await findKnowledgeBase(knowledgeBases, workspaceId, id));
}

/** Newest first [knowledge.1]. */
export async function listKnowledgeBases(
  { knowledgeBases }: KnowledgeDeps,
  workspaceId: string,
  query: QueryOf<typeof listContract>,
): Promise<ListPage<Answer>> {
  const { items, total } = await knowledgeBases.page(workspaceId, query);
  return toOffsetPage(query, { items: items.map(toKnowledgeBaseResponse), total });
}

/** Throws `NOT_FOUND` if the workspace has no such knowledge base. */
async function findKnowledgeBase(
  knowledgeBases: KnowledgeBaseStore,
  workspaceId: string,
  id: string,
): Promise<KnowledgeBase> {
  const base = await knowledgeBases.find(workspaceId, id);
  if (!base) throw knowledgeBaseNotFound();
  return base;
}

export function knowledgeBaseNotFound(): Error {
  return notFound('Knowledge base');
}

type Which = { workspaceId: string; knowledgeBaseId: string };

/** Newest first, without their text. */
export async function listDocuments(
  { knowledgeBases, documents }: KnowledgeDeps,
  { workspaceId, knowledgeBaseId }: Which,
  query: QueryOf<typeof listDocumentsContract>,
): Promise<ListPage<ReturnType<typeof toDocumentResponse>>> {
  const base = await findKnowledgeBase(knowledgeBases, workspaceId, knowledgeBaseId);
  const { items, total } = await documents.page(base.id, query);
  return toOffsetPage(query, { items: items.map(toDocumentResponse), total });
}

/** A document with its text, exactly as it was sent. */
export async function getDocument(
  { knowledgeBases, documents }: KnowledgeDeps,
  { workspaceId, knowledgeBaseId, id }: Which & { id: string },
): Promise<ResponseOf<typeof getContract>> {
  const base = await findKnowledgeBase(knowledgeBases, workspaceId, knowledgeBaseId);
  const found = await documents.find(base.id, id);
  if (!found) throw documentNotFound();
  return { ...toDocumentResponse(found.document), text: found.text };
}

export function documentNotFound(): Error {
  return notFound('Document');
}
