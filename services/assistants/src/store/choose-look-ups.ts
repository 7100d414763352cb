import type { SearchPlan } from '../domain/knowledge/plan-search.ts';

/** A question to the index: one word anywhere, several words together, or one word in the title, as a tsquery. */
export type LookUp = { kind: 'word' | 'words' | 'title'; weight: number; query: string };

type Spelled = { anywhere: readonly string[]; inTitle: readonly string[] };

/** Of the words that only count beside an essential one, so many are looked up; the rest is seen when passages are opened. */
const MOST_BESIDE = 6;

/** What the index is asked for a plan, whose terms are spelled as tsqueries. */
export function chooseLookUps(plan: SearchPlan, spelled: Spelled): LookUp[] {
  return plan.isBroad ? broadLookUps(plan, spelled) : narrowLookUps(plan, spelled);
}

/** Each essential word, and the others where one of these is. */
function narrowLookUps({ terms, essential }: SearchPlan, { anywhere, inTitle }: Spelled): LookUp[] {
  const any = anyOf(anywhere.slice(0, essential));
  const within = (query = '', i: number): string => (i < essential ? query : allOf([any, query]));
  return terms.slice(0, essential + MOST_BESIDE).flatMap(({ weight }, i) => [
    { kind: 'word', weight, query: within(anywhere[i], i) },
    { kind: 'title', weight, query: within(inTitle[i], i) },
  ]);
}

/**
 * Every word is in more passages than can be looked at: those with all of them, with the two rarest, or with one in
 * their title are the promising ones, and some with the rarest fill up.
 */
function broadLookUps({ terms }: SearchPlan, { anywhere, inTitle }: Spelled): LookUp[] {
  const together = [terms.length, 2].filter((count) => count <= terms.length && terms.length > 1);
  const weightOf = (count: number): number =>
    terms.slice(0, count).reduce((sum, { weight }) => sum + weight, 0);
  return [
    { kind: 'word', weight: weightOf(1), query: anywhere[0] ?? '' },
    ...[...new Set(together)].map((count) => ({
      kind: 'words' as const,
      weight: weightOf(count),
      query: allOf(anywhere.slice(0, count)),
    })),
    ...terms.map(({ weight }, i) => ({ kind: 'title' as const, weight, query: inTitle[i] ?? '' })),
  ];
}

const anyOf = (queries: readonly string[]): string => queries.map((query) => `(${query})`).join(' | ');
const allOf = (queries: readonly string[]): string => queries.map((query) => `(${query})`).join(' & ');
