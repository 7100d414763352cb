import { describe, expect, it } from '@jest/globals';
import { addDays, dayOf, endOfDay, startOfDay } from './zone-days.ts';

describe('days of a zone', () => {
  it.each([
    ['2026-03-14', 'UTC', '2026-03-14T00:00:00.000Z'],
    ['2026-03-14', 'Asia/Kolkata', '2026-03-13T18:30:00.000Z'],
    // Clocks change on this day, after midnight and at midnight.
    ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00.000Z'],
    ['2026-03-30', 'Europe/Berlin', '2026-03-29T22:00:00.000Z'],
    ['2025-09-07', 'America/Santiago', '2025-09-07T04:00:00.000Z'],
  ])('%s in %s begins at %s', (day, zone, instant) => {
    expect(startOfDay(day, zone).toISOString()).toBe(instant);
    expect(dayOf(new Date(instant), zone)).toBe(day);
    expect(dayOf(new Date(Date.parse(instant) - 1), zone)).toBe(addDays(day, -1));
  });

  it('end right before the next one', () => {
    expect(endOfDay('2026-10-25', 'Europe/Berlin').toISOString()).toBe('2026-10-25T22:59:59.999Z');
  });
});
