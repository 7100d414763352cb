import { describe, expect, it } from '@jest/globals';
import { delayAfterFailure, readRetryAfter } from './schedule.ts';

const minutes = (ms: number | undefined) => (ms === undefined ? undefined : ms / 60_000);

describe('delays after failed attempts [webhooks.10]', () => {
  it('double from 2 to 256 minutes, then stay at 6 hours; 12 attempts', () => {
    const waits = Array.from({ length: 12 }, (_, i) => minutes(delayAfterFailure(i + 1)));
    expect(waits).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 360, 360, 360, undefined]);
  });

  it('amount to about 26 hours between the first and the last attempt', () => {
    const total = Array.from({ length: 11 }, (_, i) => minutes(delayAfterFailure(i + 1)) ?? 0).reduce(
      (a, b) => a + b,
    );
    expect(total / 60).toBeCloseTo(26.5, 1);
  });
});

describe('Retry-After [webhooks.11]', () => {
  const now = new Date('2026-11-20T12:00:00.000Z');

  it.each([
    [429, '120', 120_000],
    [503, ' 120 ', 120_000],
    [503, 'Fri, 20 Nov 2026 12:05:00 GMT', 300_000],
    [429, 'Fri, 20 Nov 2026 11:00:00 GMT', -3_600_000],
    [429, 'Friday, 20-Nov-26 12:05:00 GMT', 300_000],
    [503, 'Fri Nov 20 12:05:00 2026', 300_000],
    [503, 'Tue Nov 24 12:00:00 2026', 96 * 3_600_000],
    [429, '9'.repeat(400), Number.POSITIVE_INFINITY],
    [429, '0', 0],
    [500, '120', undefined],
    [200, '120', undefined],
    [429, undefined, undefined],
    [429, '', undefined],
    [429, '-5', undefined],
    [429, '1.5', undefined],
    [429, 'soon', undefined],
    [429, '+5', undefined],
    [429, '0x10', undefined],
    [429, '1e3', undefined],
    [429, '١٢٠', undefined],
    [429, '120, 300', undefined],
    [429, '2026-11-20T12:05:00Z', undefined],
    [429, 'Fri, 20 Nov 2026 12:05:00 +0100', undefined],
    [429, 'Fri, 99 Nov 2026 12:05:00 GMT', undefined],
  ])('%d with %j is %d ms', (status, header, expected) => {
    expect(readRetryAfter(status, header, now)).toBe(expected);
  });

  it.each([
    [0, 1],
    [-3_600_000, 1],
    [59_999, 1],
    [120_000, 2],
    [99 * 3_600_000, 360],
    [Number.POSITIVE_INFINITY, 360],
  ])('%d ms is clamped between 1 minute and 6 hours', (asked, expected) => {
    expect(minutes(delayAfterFailure(1, asked))).toBe(expected);
  });

  it('the next delay depends on the number of attempts made', () => {
    expect(minutes(delayAfterFailure(3))).toBe(8);
    expect(delayAfterFailure(12, 120_000)).toBeUndefined();
  });
});
