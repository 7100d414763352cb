import { describe, expect, it } from '@jest/globals';
import { dialWindow } from './dial-window.ts';

describe('dialWindow', () => {
  it.each([
    [0.1, 1, 1],
    [1, 1, 3],
    [2.5, 1, 8],
    [1000, 1, 200],
    [1, 60, 30],
    [0.1, 60, 3],
  ])('%d calls per second at clock rate %d: %d requests', (maxCps, clockRate, window) => {
    expect(dialWindow({ maxCps, isActive: true }, clockRate, 200)).toBe(window);
  });
  it('is zero for an inactive number', () => {
    expect(dialWindow({ maxCps: 5, isActive: false }, 1, 200)).toBe(0);
  });
  it('is one for a number with an unknown rate', () => expect(dialWindow(undefined, 60, 200)).toBe(1));
});
