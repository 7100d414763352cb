import type { SearchPlan } from './plan-search.ts';

/** An index lookup: one word anywhere, several words together, or one word in the title, as a tsquery. */
export type LookUp = { kind: 'word' | 'words' | 'title'; weight: number; query: string };

type Spelled = { anywhere: readonly string[]; inTitle: readonly string[] };

/** Maximum optional terms that are looked up; the others are only checked in opened passages. */
const MAX_OPTIONAL = 6;

/** The index lookups for a plan; `spelled` has its terms as tsqueries. */
export function chooseLookUps(plan: SearchPlan, spelled: Spelled): LookUp[] {
  return plan.isBroad ? broadLookUps(plan, spelled) : narrowLookUps(plan, spelled);
}

/** Each essential term, and the others only together with one of these. */
function narrowLookUps({ terms, essential }: SearchPlan, { anywhere, inTitle }: Spelled): LookUp[] {
  const any = anyOf(anywhere.slice(0, essential));
  const within = (query = '', i: number): string => (i < essential ? query : allOf([any, query]));
  return terms.slice(0, essential + MAX_OPTIONAL).flatMap(({ weight }, i) => [
    { kind: 'word', weight, query: within(anywhere[i], i) },
    { kind: 'title', weight, query: within(inTitle[i], i) },
  ]);
}

/**
 * Every term is in more passages than can be read: prefer those with all of them, with the two rarest, or with one in
 * their title, and fill up with some of the rarest.
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
