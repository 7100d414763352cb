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

  it('looks up each rare word alone, and common ones together with a rare one', () => {
    const plan = planOf(1, 2, many);
    expect(of('word', plan)).toEqual(['w0', 'w1', '((w0) | (w1)) & (w2)']);
    expect(of('title', plan)).toEqual(['=w0', '=w1', '((w0) | (w1)) & (=w2)']);
    expect(of('words', plan)).toEqual([]);
  });

  it('looks up only a few common words: the others are checked in the passages', () => {
    const plan = planOf(1, ...Array<number>(15).fill(many));
    expect(of('word', plan)).toHaveLength(7);
  });

  it('looks up common words together if there is no rare one, and in titles', () => {
    const plan = planOf(many, many, many);
    expect(of('word', plan)).toEqual(['w0']);
    expect(of('words', plan)).toEqual(['(w0) & (w1) & (w2)', '(w0) & (w1)']);
    expect(of('title', plan)).toEqual(['=w0', '=w1', '=w2']);
    const [, all] = lookUps(plan);
    expect(all?.weight).toBeCloseTo(plan.totalWeight);
  });

  it('looks up a single common word once', () => {
    expect(lookUps(planOf(many)).map(({ query }) => query)).toEqual(['w0', '=w0']);
  });
});
