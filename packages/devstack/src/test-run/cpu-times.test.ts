import { describe, expect, it } from '@jest/globals';
import { idlePercent, parseCpuTimes } from './cpu-times.ts';

describe('parseCpuTimes', () => {
  it('reads the line of all cores, and counts guests once', () => {
    const stat = 'cpu  10 1 5 70 3 2 4 5 9 9\ncpu0 1 1 1 1 1 1 1 1 0 0\n';
    expect(parseCpuTimes(stat)).toEqual({ idle: 73, total: 100 });
  });
});

describe('idlePercent', () => {
  it('is the share of the time between two readings', () => {
    expect(idlePercent({ idle: 100, total: 1_000 }, { idle: 150, total: 1_200 })).toBe(25);
    expect(idlePercent({ idle: 1, total: 2 }, { idle: 1, total: 2 })).toBe(0);
  });
});
