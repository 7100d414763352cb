import { describe, expect, it } from '@jest/globals';
import { glareDelayMs } from './glare.ts';

describe('the delay after a glare [sip.6]', () => {
  it.each([
    [true, 2_100, 4_000],
    [false, 0, 2_000],
  ])('if the Call-ID is ours: %p, is %i to %i ms, in units of 10', (isCallIdOurs, min, max) => {
    const delays = Array.from({ length: 20_000 }, () => glareDelayMs(isCallIdOurs));
    expect([Math.min(...delays), Math.max(...delays)]).toEqual([min, max]);
    expect(delays.filter((delay) => delay % 10 !== 0)).toEqual([]);
  });
});
