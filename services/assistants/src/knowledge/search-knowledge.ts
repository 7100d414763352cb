import type {
  BodyOf,
  searchKnowledge as callContract,
  searchKnowledgeBase as contract,
  ResponseOf,
} from '@parley/contracts';
import type { KnowledgeDeps } from './deps.ts';
import { makeSnippet } from './make-snippet.ts';
import { planSearch, type TermCount } from './plan-search.ts';
import { type RankedPassage, rankPassages } from './rank-passages.ts';
import { knowledgeBaseNotFound } from './read-knowledge.ts';
import { wordsOf } from './words.ts';

type Wanted = { query: string; limit: number };
type Search = { terms: TermCount[]; passages: RankedPassage[] };

/** Candidates per requested passage. */
const CANDIDATES_PER_RESULT = 4;

/** Searches one knowledge base; results have a snippet [knowledge.2]. */
export async function searchKnowledgeBase(
  deps: KnowledgeDeps,
  { workspaceId, id }: { workspaceId: string; id: string },
  wanted: BodyOf<typeof contract>,
): Promise<ResponseOf<typeof contract>> {
  const bases = await deps.knowledgeBases.findIndexed(workspaceId, [id]);
  if (bases.length === 0) throw knowledgeBaseNotFound();
  const { terms, passages } = await search(deps, bases, wanted);
  const words = new Set(passages.flatMap(({ text }) => distinctWords(text)));
  const found = words.size > 0 ? await deps.passages.matching(terms, [...words]) : new Set<string>();
  return passages.map(({ documentId, title, text, score }) => ({
    document_id: documentId,
    title,
    snippet: makeSnippet(text, found),
    score,
  }));
}

/** Searches several knowledge bases for a call; results have whole passages. Unknown ids are ignored [knowledge.3]. */
export async function searchKnowledge(
  deps: KnowledgeDeps,
  workspaceId: string,
  { knowledge_base_ids: ids, ...wanted }: BodyOf<typeof callContract>,
): Promise<ResponseOf<typeof callContract>> {
  const { passages } = await search(deps, await deps.knowledgeBases.findIndexed(workspaceId, ids), wanted);
  return passages.map(({ knowledgeBaseId, documentId, title, text, score }) => ({
    knowledge_base_id: knowledgeBaseId,
    document_id: documentId,
    title,
    text: text.trim(),
    score,
  }));
}

async function search(
  deps: KnowledgeDeps,
  bases: Awaited<ReturnType<KnowledgeDeps['knowledgeBases']['findIndexed']>>,
  { query, limit }: Wanted,
): Promise<Search> {
  const filled = bases.filter(({ passageCount }) => passageCount > 0);
  const words = distinctWords(query);
  if (filled.length === 0 || words.length === 0) return { terms: [], passages: [] };
  const numbers = filled.map(({ number }) => number);
  const passageCount = filled.reduce((sum, base) => sum + base.passageCount, 0);
  return deps.passages.read(async (reader) => {
    const plan = planSearch(await reader.countTerms(numbers, words), passageCount);
    if (!plan) return { terms: [], passages: [] };
    const found = await reader.find(numbers, plan, limit * CANDIDATES_PER_RESULT);
    return { terms: plan.terms, passages: rankPassages(found, words, limit) };
  });
}

function distinctWords(text: string): string[] {
  return [...new Set(wordsOf(text).map(({ word }) => word))];
}
