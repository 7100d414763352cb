import { describe, expect, it } from '@jest/globals';
import {
  coverWithSpans,
  dateAfter,
  dateAt,
  daysBetween,
  hoursBetween,
  QUARTER_MS,
  startOfDate,
  type TimeBucket,
} from './time-buckets.ts';

const at = (text: string) => Date.parse(text);
const iso = (ms: number) => new Date(ms).toISOString().slice(0, 16);

/** With clock changes at midnight, by half an hour, and offsets of three quarters of an hour. */
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/St_Johns',
  'America/Havana',
  'America/Santiago',
  'Africa/Cairo',
  'Asia/Beirut',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
];

describe('days of a zone [analytics.2]', () => {
  it('have 23 and 25 hours at clock changes', () => {
    const spring = daysBetween('Europe/Berlin', at('2026-03-28T23:00Z'), at('2026-03-29T22:00Z'));
    expect(spring.map(({ key, fromMs, toMs }) => [key, (toMs - fromMs) / 3_600_000])).toEqual([
      ['2026-03-29', 23],
    ]);
    const start = startOfDate('Europe/Berlin', '2026-10-25');
    expect((startOfDate('Europe/Berlin', '2026-10-26') - start) / 3_600_000).toBe(25);
  });

  it('begin at one if a clock change skips midnight, and at the first of two midnights', () => {
    expect(iso(startOfDate('Africa/Cairo', '2026-04-24'))).toBe('2026-04-23T22:00');
    expect(iso(startOfDate('America/Havana', '2026-11-01'))).toBe('2026-11-01T04:00');
  });

  it.each(ZONES)(
    '%s: every quarter hour of three years is in the day of its date, and days have no gaps',
    (zone) => {
      const [from, to] = [at('2025-01-01T00:00Z'), at('2028-01-01T00:00Z')];
      const days = daysBetween(zone, from, to);
      expect([days[0]?.fromMs, days.at(-1)?.toMs]).toEqual([from, to]);
      const format = new Intl.DateTimeFormat('en-CA', {
        timeZone: zone,
        year: 'numeric',
        month: '2-digit',
        day: '2-digit',
      });
      const isRight = (day: TimeBucket, i: number): boolean =>
        (i === 0 || day.fromMs === days[i - 1]?.toMs) &&
        [day.fromMs, day.toMs - QUARTER_MS].every((edge) => format.format(edge) === day.key);
      expect(days.filter((day, i) => !isRight(day, i))).toEqual([]);
    },
  );

  it('are cut at the ends of the range', () => {
    const days = daysBetween('Asia/Kolkata', at('2026-03-14T12:00Z'), at('2026-03-15T00:00Z'));
    expect(days.map(({ key, fromMs, toMs }) => [key, iso(fromMs), iso(toMs)])).toEqual([
      ['2026-03-14', '2026-03-14T12:00', '2026-03-14T18:30'],
      ['2026-03-15', '2026-03-14T18:30', '2026-03-15T00:00'],
    ]);
  });

  it('a date that a zone skipped is missing', () => {
    const days = daysBetween('Pacific/Apia', at('2011-12-29T00:00Z'), at('2012-01-01T00:00Z'));
    expect(days.map(({ key }) => key)).not.toContain('2011-12-30');
  });

  it('dates count across months', () => {
    expect([dateAfter('2026-02-28', 1), dateAfter('2026-03-01', -1), dateAt('UTC', 0)]).toEqual([
      '2026-03-01',
      '2026-02-28',
      '1970-01-01',
    ]);
  });
});

describe('hours of a zone [analytics.3]', () => {
  it.each(ZONES)('%s: follow each other, also over clock changes', (zone) => {
    for (const [from, to] of [
      ['2026-03-01T00:00Z', '2026-04-30T00:00Z'],
      ['2026-10-01T00:15Z', '2026-11-10T00:45Z'],
    ] as const) {
      const hours = hoursBetween(zone, at(from), at(to));
      expect([hours[0]?.fromMs, hours.at(-1)?.toMs]).toEqual([at(from), at(to)]);
      const isRight = ({ fromMs, toMs }: TimeBucket, i: number): boolean =>
        (i === 0 || fromMs === hours[i - 1]?.toMs) && toMs - fromMs <= 3_600_000;
      expect(hours.filter((hour, i) => !isRight(hour, i))).toEqual([]);
    }
  });
});

describe('spans of rollups', () => {
  it('cover a range exactly, with the largest that fit', () => {
    const runs = coverWithSpans(at('2026-03-14T04:45Z'), at('2026-03-18T07:15Z'));
    expect(runs.map(({ spanMinutes, fromMs, toMs }) => [spanMinutes, iso(fromMs), iso(toMs)])).toEqual([
      [15, '2026-03-14T04:45', '2026-03-14T05:00'],
      [60, '2026-03-14T05:00', '2026-03-14T06:00'],
      [360, '2026-03-14T06:00', '2026-03-15T00:00'],
      [1440, '2026-03-15T00:00', '2026-03-18T00:00'],
      [360, '2026-03-18T00:00', '2026-03-18T06:00'],
      [60, '2026-03-18T06:00', '2026-03-18T07:00'],
      [15, '2026-03-18T07:00', '2026-03-18T07:15'],
    ]);
    expect(coverWithSpans(0, 0)).toEqual([]);
  });

  it('cover a year with few of them, in any zone', () => {
    for (const zone of ZONES) {
      const [from, to] = [startOfDate(zone, '2025-11-05'), startOfDate(zone, '2026-11-05')];
      const runs = coverWithSpans(from, to);
      expect([runs[0]?.fromMs, runs.at(-1)?.toMs]).toEqual([from, to]);
      const spans = runs.reduce((sum, run) => sum + (run.toMs - run.fromMs) / 60_000 / run.spanMinutes, 0);
      expect(spans).toBeLessThan(60);
    }
  });
});
