import { describe, expect, it } from '@jest/globals';
import { clockTime, hoursInWords, joinWindows, paint, readClockTime } from './hours.ts';

describe('times of a day', () => {
  it('are read as they are written', () => {
    for (const minutes of [0, 570, 1440]) expect(readClockTime(clockTime(minutes))).toBe(minutes);
    expect(['9:30', '24:01', '12:60', 'noon', ''].map(readClockTime)).toEqual([
      570,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('windows', () => {
  it('that overlap or touch become one', () => {
    const windows = [
      { start: 600, end: 720 },
      { start: 540, end: 600 },
      { start: 800, end: 900 },
    ];
    expect(joinWindows(windows)).toEqual([
      { start: 540, end: 720 },
      { start: 800, end: 900 },
    ]);
  });

  it('are painted and cut', () => {
    const painted = paint([{ start: 540, end: 1020 }], { start: 720, end: 780 }, false);
    expect(painted).toEqual([
      { start: 540, end: 720 },
      { start: 780, end: 1020 },
    ]);
    expect(paint(painted, { start: 720, end: 780 }, true)).toEqual([{ start: 540, end: 1020 }]);
    expect(paint([{ start: 0, end: 60 }], { start: 0, end: 60 }, false)).toEqual([]);
  });
});

describe('hoursInWords', () => {
  it.each([
    [[1, 2, 3, 4, 5], [{ start: 540, end: 1020 }], 'Mon–Fri 09:00–17:00 (Europe/Berlin)'],
    [[1, 2, 6], [{ start: 0, end: 1440 }], 'Mon, Tue, Sat all day (Europe/Berlin)'],
    [
      [1, 2, 3, 4, 5, 6, 7],
      [
        { start: 800, end: 900 },
        { start: 540, end: 600 },
      ],
      'Every day 09:00–10:00, 13:20–15:00 (Europe/Berlin)',
    ],
  ])('%j', (days, windows, words) => {
    expect(hoursInWords({ tz: 'Europe/Berlin', days, windows })).toBe(words);
    expect(hoursInWords(null)).toBe('At any time');
  });
});
