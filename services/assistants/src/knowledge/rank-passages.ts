import { wordsOf } from './words.ts';

/** A matching passage; shares are between 0 and 1. */
type FoundPassage = {
  knowledgeBaseId: string;
  documentId: string;
  title: string;
  text: string;
  /** Share of the query's weight that matches. */
  coverage: number;
  /** Share of the query's weight that the title matches. */
  inTitle: number;
  /** How close together and how often the terms occur. */
  density: number;
};

export type RankedPassage = FoundPassage & { score: number };

/** Weights of a passage's score besides its coverage. The database sorts by the first three. */
export const SHARES = { coverage: 0.65, inTitle: 0.15, density: 0.1, exact: 0.1 };

/** The best passages, scored from 0 to 1. Words exactly as typed, including stop words, break ties. */
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
