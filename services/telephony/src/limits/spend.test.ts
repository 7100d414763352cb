import { describe, expect, it } from '@jest/globals';
import { affordableCalls } from './spend.ts';

const limits = { rateCents: 10, dailySpendLimitCents: 100 };

describe('affordableCalls [trust.22]', () => {
  it('reserves a minute for each live call in addition to the spend', () => {
    expect(affordableCalls(limits, 0, 0)).toBe(10);
    expect(affordableCalls(limits, 0, 9)).toBe(1);
    expect(affordableCalls(limits, 0, 10)).toBe(0);
    expect(affordableCalls(limits, 91, 0)).toBe(0);
    expect(affordableCalls(limits, 90, 0)).toBe(1);
    expect(affordableCalls(limits, 250, 3)).toBe(0);
  });

  it('is unlimited without a limit, and while calls are free and something is left', () => {
    expect(affordableCalls({ ...limits, dailySpendLimitCents: null }, 1_000_000, 99)).toBe(Infinity);
    expect(affordableCalls({ ...limits, rateCents: 0 }, 99, 99)).toBe(Infinity);
    expect(affordableCalls({ rateCents: 0, dailySpendLimitCents: 0 }, 0, 0)).toBe(0);
  });
});
