import { describe, expect, it } from '@jest/globals';
import { addSample, rateOf } from './use-rate.ts';

type Samples = Parameters<typeof rateOf>[0];

describe('rates', () => {
  it('are those of the last seconds', () => {
    let samples: Samples = [];
    for (let second = 0; second <= 60; second += 1)
      samples = addSample(samples, { atMs: second * 1000, count: second < 30 ? 0 : (second - 30) * 100 });
    expect(rateOf(samples)).toBeCloseTo(100, 5);
    expect(samples.length).toBeLessThan(20);
  });

  it('need two samples with some time in between', () => {
    expect(rateOf([])).toBeUndefined();
    expect(rateOf([{ atMs: 0, count: 0 }])).toBeUndefined();
    const twice = addSample([{ atMs: 0, count: 0 }], { atMs: 0, count: 0 });
    expect(rateOf(addSample(twice, { atMs: 500, count: 9 }))).toBeUndefined();
  });
});
