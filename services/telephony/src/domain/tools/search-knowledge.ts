import type { KnowledgePassage } from '@parley/contracts';
import type { Log } from '@parley/kit/log';
import { failed, succeeded, type ToolOutcome } from './tool-outcome.ts';

/** The workspace's knowledge bases, searched as one. Rejects when they can't be asked. */
export type KnowledgeSearch = {
  search(
    workspaceId: string,
    question: { knowledgeBaseIds: readonly string[]; query: string },
  ): Promise<KnowledgePassage[]>;
};

export type KnowledgeDeps = { knowledge: KnowledgeSearch; log: Log };

const LONGEST_QUERY = 1_000;

/** Asks for the passages that answer a question best; what was found is kept with the turn (D3.6). */
export async function searchKnowledge(
  { knowledge, log }: KnowledgeDeps,
  workspaceId: string,
  { knowledgeBaseIds, query }: { knowledgeBaseIds: readonly string[]; query: string },
): Promise<ToolOutcome> {
  const asked = query.trim().slice(0, LONGEST_QUERY);
  if (asked === '') return failed('There is nothing to look for');
  try {
    const documents = await knowledge.search(workspaceId, { knowledgeBaseIds, query: asked });
    const passages = documents.map(({ title, text }) => ({ title, text }));
    return { ...succeeded({ passages }), documents };
  } catch (err) {
    log.warn({ err }, 'knowledge could not be searched');
    return failed('The knowledge bases could not be searched');
  }
}
