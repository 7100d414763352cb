import { describe, expect, it } from '@jest/globals';
import { BUCKET_BOUNDS, BUCKETS, percentileOf } from './latency-buckets.ts';

const histogramOf = (values: readonly number[]): number[] => {
  const counts = new Array<number>(BUCKETS).fill(0);
  for (const value of values) {
    const at = BUCKET_BOUNDS.filter((bound) => bound <= value).length;
    counts[at] = (counts[at] ?? 0) + 1;
  }
  return counts;
};

describe('percentileOf [analytics.5]', () => {
  it('is within 10 percent of the exact percentile', () => {
    let seed = 7;
    const random = () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed / 2_147_483_647;
    };
    for (let round = 0; round < 200; round += 1) {
      const values = Array.from({ length: 1 + Math.floor(random() * 40) }, () => 100 + random() ** 3 * 9_400);
      const sorted = [...values].sort((a, b) => a - b);
      for (const p of [0.5, 0.95]) {
        const exact = sorted[Math.max(Math.ceil(values.length * p), 1) - 1] ?? 0;
        const ratio = (percentileOf(histogramOf(values), p) ?? 0) / exact;
        expect(Math.abs(ratio - 1)).toBeLessThan(0.0956);
      }
    }
  });

  it('is a bound beyond the bounds, and undefined without values', () => {
    expect(percentileOf(histogramOf([3, 4]), 0.5)).toBe(100);
    expect(percentileOf(histogramOf([60_000]), 0.95)).toBe(BUCKET_BOUNDS.at(-1));
    expect(percentileOf(histogramOf([]), 0.5)).toBeUndefined();
  });
});
