import type {
  getDocument as getContract,
  listDocuments as listContract,
  QueryOf,
  ResponseOf,
} from '@parley/contracts';
import { notFound } from '@parley/kit/errors';
import type { ListAnswer } from '@parley/kit/http';
import type { KnowledgeDeps } from './deps.ts';
import { toDocumentAnswer } from './document.ts';
import { nextOffset } from './next-offset.ts';
import { findKnowledgeBase } from './read-knowledge-bases.ts';

type Which = { workspaceId: string; knowledgeBaseId: string };

/** Newest first, without their texts. */
export async function listDocuments(
  { knowledgeBases, documents }: KnowledgeDeps,
  { workspaceId, knowledgeBaseId }: Which,
  query: QueryOf<typeof listContract>,
): Promise<ListAnswer<ReturnType<typeof toDocumentAnswer>>> {
  const base = await findKnowledgeBase(knowledgeBases, workspaceId, knowledgeBaseId);
  const { items, total } = await documents.page(base.id, query);
  return { items: items.map(toDocumentAnswer), total, nextCursor: nextOffset(query, items.length, total) };
}

/** One document with its text, to the character as it was sent. */
export async function getDocument(
  { knowledgeBases, documents }: KnowledgeDeps,
  { workspaceId, knowledgeBaseId, id }: Which & { id: string },
): Promise<ResponseOf<typeof getContract>> {
  const base = await findKnowledgeBase(knowledgeBases, workspaceId, knowledgeBaseId);
  const found = await documents.find(base.id, id);
  if (!found) throw noDocument();
  return { ...toDocumentAnswer(found.document), text: found.text };
}

export function noDocument(): Error {
  return notFound('Document');
}
