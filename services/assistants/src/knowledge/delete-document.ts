import { recordAudit } from '@parley/kit/audit';
import type { ChangedBy } from '@parley/kit/http';
import type { KnowledgeDeps } from './deps.ts';
import { documentNotFound, knowledgeBaseNotFound } from './read-knowledge.ts';

/** Deletes a document with its passages. Locks the base first, like its own deletion, which avoids deadlocks. */
export async function deleteDocument(
  { transact, clock, knowledgeBases, documents }: KnowledgeDeps,
  { by, knowledgeBaseId, id }: { by: ChangedBy; knowledgeBaseId: string; id: string },
): Promise<void> {
  const { workspaceId } = by;
  await transact(async (tx) => {
    if (!(await knowledgeBases.lock(tx, workspaceId, knowledgeBaseId))) throw knowledgeBaseNotFound();
    const passages = await documents.remove(tx, knowledgeBaseId, id);
    if (passages === undefined) throw documentNotFound();
    const at = clock.now();
    const change = { documents: -1, passages: -passages, at };
    await knowledgeBases.count(tx, workspaceId, knowledgeBaseId, change);
    const target = { type: 'knowledge_document', id };
    const changes = { knowledge_base_id: { from: knowledgeBaseId } };
    await recordAudit(tx, by, { action: 'knowledge_document.deleted', target, changes, at });
  });
}
