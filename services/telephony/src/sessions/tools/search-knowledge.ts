import type { KnowledgePassage } from '@parley/contracts';
import type { Log } from '@parley/kit/log';
import { failed, succeeded, type ToolOutcome } from './tool-outcome.ts';

/** Searches several knowledge bases of the workspace as one. Rejects if the service is unavailable. */
export type KnowledgeSearch = {
  search(
    workspaceId: string,
    question: { knowledgeBaseIds: readonly string[]; query: string },
  ): Promise<KnowledgePassage[]>;
};

export type KnowledgeDeps = { knowledge: KnowledgeSearch; log: Log };

const MAX_QUERY_CHARACTERS = 1_000;

/** Finds the passages that answer a question best; they are stored with the turn [knowledge.3]. */
export async function searchKnowledge(
  { knowledge, log }: KnowledgeDeps,
  workspaceId: string,
  { knowledgeBaseIds, query }: { knowledgeBaseIds: readonly string[]; query: string },
): Promise<ToolOutcome> {
  const question = query.trim().slice(0, MAX_QUERY_CHARACTERS);
  if (question === '') return failed('The query is empty');
  try {
    const documents = await knowledge.search(workspaceId, { knowledgeBaseIds, query: question });
    const passages = documents.map(({ title, text }) => ({ title, text }));
    return { ...succeeded({ passages }), documents };
  } catch (err) {
    log.warn({ err }, 'knowledge could not be searched');
    return failed('The knowledge bases could not be searched');
  }
}
