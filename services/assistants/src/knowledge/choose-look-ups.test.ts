import { describe, expect, it } from '@jest/globals';
import { chooseLookUps, type LookUp } from './choose-look-ups.ts';
import { MAX_PASSAGES, planSearch, type SearchPlan } from './plan-search.ts';

const planOf = (...counts: number[]): SearchPlan => {
  const terms = counts.map((count, i) => ({ lexeme: `w${i}`, count, isBeginning: false }));
  const plan = planSearch(terms, 1_000_000);
  if (!plan) throw new Error('nothing to look for');
  return plan;
};
const lookUps = (plan: SearchPlan): LookUp[] =>
  chooseLookUps(plan, {
    anywhere: plan.terms.map(({ lexeme }) => lexeme),
    inTitle: plan.terms.map(({ lexeme }) => `=${lexeme}`),
  });
const of = (kind: LookUp['kind'], plan: SearchPlan): string[] =>
  lookUps(plan)
    .filter((lookUp) => lookUp.kind === kind)
    .map(({ query }) => query);

describe('chooseLookUps', () => {
  const many = MAX_PASSAGES + 1;

  it('asks for each rare word by itself, and for common ones where a rare one is', () => {
    const plan = planOf(1, 2, many);
    expect(of('word', plan)).toEqual(['w0', 'w1', '((w0) | (w1)) & (w2)']);
    expect(of('title', plan)).toEqual(['=w0', '=w1', '((w0) | (w1)) & (=w2)']);
    expect(of('words', plan)).toEqual([]);
  });

  it('asks for a few of the common words only: the others are seen when passages are opened', () => {
    const plan = planOf(1, ...Array<number>(15).fill(many));
    expect(of('word', plan)).toHaveLength(7);
  });

  it('asks for common words together where there is no rare one, and for titles', () => {
    const plan = planOf(many, many, many);
    expect(of('word', plan)).toEqual(['w0']);
    expect(of('words', plan)).toEqual(['(w0) & (w1) & (w2)', '(w0) & (w1)']);
    expect(of('title', plan)).toEqual(['=w0', '=w1', '=w2']);
    const [, all] = lookUps(plan);
    expect(all?.weight).toBeCloseTo(plan.totalWeight);
  });

  it('asks once for a single common word', () => {
    expect(lookUps(planOf(many)).map(({ query }) => query)).toEqual(['w0', '=w0']);
  });
});
