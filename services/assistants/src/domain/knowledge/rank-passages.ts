import { wordsOf } from './words.ts';

/** A passage that has some of what was looked for; the shares are of 1. */
export type FoundPassage = {
  knowledgeBaseId: string;
  documentId: string;
  title: string;
  text: string;
  /** How much of the query's weight it has. */
  coverage: number;
  /** How much of it its title has. */
  inTitle: number;
  /** How close together, and how often. */
  density: number;
};

export type RankedPassage = FoundPassage & { score: number };

/**
 * What a passage scores by, besides how much of the query it covers. The database sorts by the first three before it
 * hands passages over.
 */
export const SHARES = { coverage: 0.65, inTitle: 0.15, density: 0.1, exact: 0.1 };

/** The best passages, by a score from 0 to 1. Words exactly as they were typed, those too that connect others, break ties. */
export function rankPassages(
  found: readonly FoundPassage[],
  queryWords: readonly string[],
  limit: number,
): RankedPassage[] {
  return found
    .map((passage) => ({ ...passage, score: scoreOf(passage, queryWords) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, limit);
}

function scoreOf(
  { coverage, inTitle, density, title, text }: FoundPassage,
  queryWords: readonly string[],
): number {
  const words = new Set([...wordsOf(title), ...wordsOf(text)].map(({ word }) => word));
  const exact = queryWords.filter((word) => words.has(word)).length / queryWords.length;
  const share = SHARES.coverage + SHARES.inTitle * inTitle + SHARES.density * density + SHARES.exact * exact;
  return Math.round(Math.min(1, coverage * share) * 1000) / 1000;
}
