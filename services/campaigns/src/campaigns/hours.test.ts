import { describe, expect, it } from '@jest/globals';
import type { BusinessHours } from '@parley/contracts';
import { isOpen, nextChange } from './hours.ts';

const everyDay = [1, 2, 3, 4, 5, 6, 7];
const office: BusinessHours = {
  tz: 'Europe/Berlin',
  days: [1, 2, 3, 4, 5],
  windows: [{ start: 540, end: 1020 }],
};
const night = (tz: string, start: number, end: number): BusinessHours => ({
  tz,
  days: everyDay,
  windows: [{ start, end }],
});
const at = (iso: string): Date => new Date(iso);
const change = (hours: BusinessHours | null, iso: string): string | undefined =>
  nextChange(hours, at(iso))?.toISOString();

describe('isOpen', () => {
  it.each([
    ['2026-06-01T06:59:59.999Z', false, 'Monday, a moment before nine in summer'],
    ['2026-06-01T07:00:00.000Z', true, 'Monday at nine'],
    ['2026-06-01T14:59:59.999Z', true, 'a moment before five'],
    ['2026-06-01T15:00:00.000Z', false, 'five o’clock is closed'],
    ['2026-01-05T07:30:00.000Z', false, 'half past eight in winter'],
    ['2026-01-05T08:00:00.000Z', true, 'nine in winter'],
    ['2026-06-06T10:00:00.000Z', false, 'Saturday'],
  ])('%s: %s (%s)', (iso, open) => expect(isOpen(office, at(iso))).toBe(open));

  it('uses the local day, not that of UTC', () => {
    const sunday: BusinessHours = { tz: 'Pacific/Auckland', days: [7], windows: [{ start: 0, end: 60 }] };
    expect(isOpen(sunday, at('2026-06-06T12:30:00Z'))).toBe(true);
    expect(isOpen(sunday, at('2026-06-07T12:30:00Z'))).toBe(false);
  });

  it('supports offsets of half and quarter hours', () => {
    expect(isOpen(night('Asia/Kathmandu', 0, 15), at('2026-06-06T18:20:00Z'))).toBe(true);
    expect(isOpen(night('Asia/Kathmandu', 0, 15), at('2026-06-06T18:10:00Z'))).toBe(false);
  });

  it('is always open without hours', () => expect(isOpen(null, at('2026-06-06T10:00:00Z'))).toBe(true));

  it('is closed in an unknown time zone', () => {
    expect(isOpen(night('Atlantis/Capital', 0, 1440), at('2026-06-06T10:00:00Z'))).toBe(false);
    expect(nextChange(night('Atlantis/Capital', 0, 1440), at('2026-06-06T10:00:00Z'))).toBeNull();
  });

  it('is open twice in an hour that occurs twice', () => {
    const hour = night('America/New_York', 60, 120);
    expect(isOpen(hour, at('2026-11-01T05:30:00Z'))).toBe(true);
    expect(isOpen(hour, at('2026-11-01T06:30:00Z'))).toBe(true);
    expect(isOpen(hour, at('2026-11-01T07:00:00Z'))).toBe(false);
  });
});

describe('nextChange', () => {
  it('finds the closing of an open window', () => {
    expect(change(office, '2026-06-01T07:00:00Z')).toBe('2026-06-01T15:00:00.000Z');
  });
  it('finds the opening on the same day, the next day and after the weekend', () => {
    expect(change(office, '2026-06-01T00:00:00Z')).toBe('2026-06-01T07:00:00.000Z');
    expect(change(office, '2026-06-01T15:00:00Z')).toBe('2026-06-02T07:00:00.000Z');
    expect(change(office, '2026-06-05T15:00:00.001Z')).toBe('2026-06-08T07:00:00.000Z');
  });
  it('follows the clock change on a weekend', () => {
    expect(change(office, '2026-03-27T16:00:00Z')).toBe('2026-03-30T07:00:00.000Z');
    expect(change(office, '2026-10-23T15:00:00Z')).toBe('2026-10-26T08:00:00.000Z');
  });
  it('joins adjacent windows, within a day and at midnight', () => {
    const joined: BusinessHours = {
      tz: 'UTC',
      days: [1, 2],
      windows: [
        { start: 0, end: 120 },
        { start: 600, end: 720 },
        { start: 720, end: 1440 },
      ],
    };
    expect(change(joined, '2026-06-01T10:30:00Z')).toBe('2026-06-02T02:00:00.000Z');
  });
  it('skips a window inside the skipped hour', () => {
    expect(change(night('America/New_York', 120, 180), '2026-03-08T06:30:00Z')).toBe(
      '2026-03-09T06:00:00.000Z',
    );
  });
  it('opens after the skipped hour when the window began inside it', () => {
    expect(change(night('America/New_York', 150, 240), '2026-03-08T06:30:00Z')).toBe(
      '2026-03-08T07:00:00.000Z',
    );
    expect(change(night('America/New_York', 150, 240), '2026-03-08T07:10:00Z')).toBe(
      '2026-03-08T08:00:00.000Z',
    );
  });
  it('stays open through an hour that occurs twice', () => {
    expect(change(night('America/New_York', 60, 120), '2026-11-01T05:30:00Z')).toBe(
      '2026-11-01T07:00:00.000Z',
    );
  });
  it('closes and opens again when the clocks fall back over the edge of a window', () => {
    const half = night('America/New_York', 90, 105);
    expect(change(half, '2026-11-01T05:00:00Z')).toBe('2026-11-01T05:30:00.000Z');
    expect(change(half, '2026-11-01T05:30:00Z')).toBe('2026-11-01T05:45:00.000Z');
    expect(change(half, '2026-11-01T05:45:00Z')).toBe('2026-11-01T06:30:00.000Z');
  });
  it('handles a change of half an hour', () => {
    expect(change(night('Australia/Lord_Howe', 120, 150), '2026-10-03T14:00:00Z')).toBe(
      '2026-10-04T15:00:00.000Z',
    );
  });
  it('has none when it is always open', () => {
    expect(change(night('Europe/Berlin', 0, 1440), '2026-06-01T00:00:00Z')).toBeUndefined();
    expect(change(null, '2026-06-01T00:00:00Z')).toBeUndefined();
  });
});
