import type { KnowledgeDeps } from './deps.ts';
import { noDocument } from './read-documents.ts';
import { noKnowledgeBase } from './read-knowledge-bases.ts';

/** Deletes a document with its passages. The base is held first, as its own deletion does: the order of locks is one. */
export async function deleteDocument(
  { transact, clock, knowledgeBases, documents }: KnowledgeDeps,
  { workspaceId, knowledgeBaseId, id }: { workspaceId: string; knowledgeBaseId: string; id: string },
): Promise<void> {
  await transact(async (tx) => {
    if (!(await knowledgeBases.hold(tx, workspaceId, knowledgeBaseId))) throw noKnowledgeBase();
    const passages = await documents.remove(tx, knowledgeBaseId, id);
    if (passages === undefined) throw noDocument();
    const change = { documents: -1, passages: -passages, at: clock.now() };
    await knowledgeBases.count(tx, workspaceId, knowledgeBaseId, change);
  });
}
