import { describe, expect, it } from '@jest/globals';
import { failuresInRow, restartDelayMs } from './restart-delay.ts';

describe('restartDelayMs', () => {
  it('is zero at first, then doubles from 100 ms to 5 s', () => {
    expect([1, 2, 3, 4, 7, 8, 50].map(restartDelayMs)).toEqual([0, 100, 200, 400, 3_200, 5_000, 5_000]);
  });
});

describe('failuresInRow', () => {
  it('counts exits in quick succession and resets after a long run', () => {
    expect(failuresInRow(0, 50)).toBe(1);
    expect(failuresInRow(3, 9_999)).toBe(4);
    expect(failuresInRow(3, 10_000)).toBe(1);
  });
});
