import { describe, expect, it } from '@jest/globals';
import { MAX_PASSAGES, planSearch } from './plan-search.ts';

const term = (lexeme: string, count: number, isBeginning = false) => ({ lexeme, count, isBeginning });
const names = (plan: ReturnType<typeof planSearch>): string[] | undefined =>
  plan?.terms.map(({ lexeme }) => lexeme);

describe('planSearch', () => {
  it('searches nothing if no passage contains any of the words', () => {
    expect(planSearch([], 10)).toBeUndefined();
    expect(planSearch([term('absent', 0)], 10)).toBeUndefined();
  });

  it('puts rare words first with a higher weight', () => {
    const plan = planSearch([term('common', 900), term('rare', 2), term('absent', 0)], 1000);
    expect(names(plan)).toEqual(['rare', 'common']);
    const [rare, common] = plan?.terms ?? [];
    expect(rare?.weight).toBeGreaterThan(10 * (common?.weight ?? 0));
  });

  it('counts unknown words as part of the query', () => {
    const all = planSearch([term('a', 1), term('b', 1)], 100);
    const half = planSearch([term('a', 1), term('b', 0)], 100);
    expect(half?.totalWeight).toBe(all?.totalWeight);
  });

  it('gives half the weight to prefix matches', () => {
    const plan = planSearch([term('whole', 3), term('begin', 3, true)], 100);
    const [whole, begin] = plan?.terms ?? [];
    expect(begin?.weight).toBe((whole?.weight ?? 0) / 2);
  });

  it('looks up as many of the rarest words completely as fit the limit', () => {
    const half = MAX_PASSAGES / 2;
    const plan = planSearch([term('c', half), term('a', 1), term('b', half)], 100_000);
    expect([names(plan), plan?.essential, plan?.isBroad]).toEqual([['a', 'c', 'b'], 2, false]);
  });

  it('reports that every word is in too many passages', () => {
    const plan = planSearch([term('a', MAX_PASSAGES + 1), term('b', MAX_PASSAGES + 1)], 100_000);
    expect([plan?.essential, plan?.isBroad]).toEqual([1, true]);
  });
});
