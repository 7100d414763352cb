import { describe, expect, it } from '@jest/globals';
import type { Clock } from '@parley/kit/time';
import { othersFirst } from './dial-due.ts';
import type { NumberPace } from './plan-grants.ts';

const clock = { rate: 1 } as Clock;
const WAIT_MS = 105;

const pace = (given: Partial<NumberPace>): NumberPace => ({
  phoneNumberId: 'n',
  workspaceId: 'w',
  phoneNumber: '+14155550100',
  isActive: true,
  maxCps: 10,
  nextDialMs: 1_000,
  othersDialMs: null,
  lateMs: 0,
  probeAt: null,
  ...given,
});

describe('othersFirst', () => {
  it('lets the holder of a number wait until the others could have had it, where the turn is anybody’s', () => {
    const others = 1_200;
    expect(othersFirst(pace({ othersDialMs: others }), WAIT_MS, clock).nextDialMs).toBe(others + WAIT_MS);
    expect(othersFirst(pace({ othersDialMs: 990 }), WAIT_MS, clock).nextDialMs).toBe(1_000 + WAIT_MS);
  });

  it('leaves the turn to its holder, and to whoever else finds it open', () => {
    for (const othersDialMs of [1_201, 2_200, null]) {
      expect(othersFirst(pace({ othersDialMs }), WAIT_MS, clock).nextDialMs).toBe(1_000);
    }
  });
});
