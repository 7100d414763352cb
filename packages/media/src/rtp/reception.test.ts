import { describe, expect, it } from '@jest/globals';
import { createReception } from './reception.ts';

describe('createReception', () => {
  it('counts loss across a wrap of the sequence number', () => {
    const reception = createReception(8_000);
    for (const n of [0, 1, 3, 4, 5, 7]) {
      reception.record({ sequence: (65_533 + n) % 65_536, timestamp: n * 160 }, n * 20);
    }
    expect(reception.totals()).toEqual({ received: 6, lost: 2, jitterMs: 0 });
    expect(reception.report()).toMatchObject({ fractionLost: 0.25, totalLost: 2, highestSequence: 65_540 });
    expect(reception.report()).toMatchObject({ fractionLost: 0, totalLost: 2 });
  });

  it('approaches the mean deviation of arrivals', () => {
    const reception = createReception(8_000);
    for (let n = 0; n < 500; n += 1) {
      reception.record({ sequence: n, timestamp: n * 160 }, n * 20 + (n % 2) * 10);
    }
    expect(reception.totals().jitterMs).toBeCloseTo(10, 1);
  });

  it('starts over with a restarted sender, and does not count duplicates as gained', () => {
    const reception = createReception(8_000);
    reception.record({ sequence: 10, timestamp: 0 }, 0);
    reception.record({ sequence: 10, timestamp: 0 }, 0);
    expect(reception.totals().lost).toBe(0);
    reception.record({ sequence: 40_000, timestamp: 160 }, 20);
    expect(reception.totals()).toMatchObject({ received: 3, lost: 0 });
    expect(reception.report()).toMatchObject({ highestSequence: 40_000, totalLost: 0 });
  });

  it('reports nothing before the first packet', () => {
    expect(createReception(8_000).report()).toBeUndefined();
  });
});
