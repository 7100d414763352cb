import { describe, expect, it } from '@jest/globals';
import { nextSeq } from './next-seq.ts';

describe('nextSeq', () => {
  it('counts from 0 in the hands of the first worker', () => {
    expect(nextSeq([], 1)).toBe(0);
    expect(nextSeq([{ seq: 0 }, { seq: 1 }], 1)).toBe(2);
  });

  it('leaves a gap at each take-over for what the worker before may still be writing', () => {
    const first = nextSeq([{ seq: 7 }], 2);
    expect(first).toBeGreaterThan(10_000);
    expect(nextSeq([{ seq: 7 }, { seq: first }], 2)).toBe(first + 1);
    expect(nextSeq([{ seq: first }], 3)).toBeGreaterThan(first + 10_000);
  });

  it('fits an integer of Postgres however often a call is taken over', () => {
    expect(nextSeq([{ seq: 3 }], 1_000_000)).toBeLessThan(2 ** 31 - 100_000);
    expect(nextSeq([], 0)).toBe(0);
  });
});
