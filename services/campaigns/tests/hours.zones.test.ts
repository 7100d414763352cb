import { describe, expect, it } from '@jest/globals';
import type { BusinessHours } from '@parley/contracts';
import { isOpen, nextChange } from '../src/campaigns/hours.ts';
import { edgesByTemporal } from './zones/edges-by-temporal.ts';
import { ianaNames } from './zones/iana-names.ts';
import { FROM_MS, type Shift, shiftsOf, TO_MS, zonedAt } from './zones/zone-shifts.ts';

/*
 * hours.ts against Temporal, over every kind of change of every zone's clocks from 2024 to 2030; with `EVERY_CHANGE=1` over each single
 * one. Both take the rules of the zones from the engine's ICU, so this proves the arithmetic; hours.postgres.test.ts compares the rules
 * with other ones.
 */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const everyDay = [1, 2, 3, 4, 5, 6, 7];

const zones = ianaNames().map((tz) => ({ tz, shifts: shiftsOf(tz) }));
/** One zone of each group whose clocks change at the same instants by the same offsets. */
const distinct = [...new Map(zones.map((zone) => [JSON.stringify(zone.shifts), zone])).values()];

/** Distances from a change, applied before and after it. */
const NEAR_MS = [1, 30 * MINUTE_MS - 1, HOUR_MS];
const HALF_YEARS = Array.from({ length: 14 }, (_, i) =>
  Date.UTC(2024, 6 * i, 1, (i * 7) % 24, (i * 13) % 60),
);

function instantsToAsk(shifts: readonly Shift[]): number[] {
  const near = shifts.flatMap(({ at }) => [at, ...NEAR_MS.flatMap((ms) => [at - ms, at + ms])]);
  return [...near, ...HALF_YEARS].filter((ms) => ms >= FROM_MS && ms < TO_MS);
}

/** Whether `isOpen` recognizes the local day and minute, and no other ones. */
function isRead(tz: string, ms: number): boolean {
  const { dayOfWeek, hour, minute } = zonedAt(tz, ms).toPlainDateTime();
  const at = new Date(ms);
  const start = hour * 60 + minute;
  const windows = [{ start, end: start + 1 }];
  const others = [
    { start: 0, end: start },
    { start: start + 1, end: 1440 },
  ].filter((window) => window.start < window.end);
  return (
    isOpen({ tz, days: [dayOfWeek], windows }, at) &&
    !isOpen({ tz, days: everyDay.filter((day) => day !== dayOfWeek), windows }, at) &&
    !isOpen({ tz, days: everyDay, windows: others }, at)
  );
}

describe('business_hours.tz: an IANA timezone', () => {
  it('accepts every name, and finds the changes of its clocks', () => {
    expect(zones.length).toBeGreaterThan(590);
    expect(zones.flatMap(({ shifts }) => shifts).length).toBeGreaterThan(2_500);
  });

  it('reads the local day and minute in every zone, and around every change once for zones that change together', () => {
    const once = new Set(distinct);
    const wrong = zones.flatMap((zone) =>
      instantsToAsk(once.has(zone) ? zone.shifts : [])
        .filter((ms) => !isRead(zone.tz, ms))
        .map((ms) => `${zone.tz} ${new Date(ms).toISOString()}`),
    );
    expect(wrong).toEqual([]);
  });
});

/** Windows in minutes from the local midnight before a change, split at midnight. */
function cut(...windows: [start: number, end: number][]): BusinessHours['windows'] {
  return windows.flatMap(([start, end]) => {
    const days = Math.floor(start / 1440);
    const [from, to] = [start - days * 1440, end - days * 1440];
    if (from >= to) return [];
    return to <= 1440
      ? [{ start: from, end: to }]
      : [
          { start: from, end: 1440 },
          { start: 0, end: to - 1440 },
        ];
  });
}

/** Windows that begin in, end in, lie within, touch or span the minutes that a change skips or repeats. */
function shapesAt({ at, before, after }: Shift): BusinessHours['windows'][] {
  const skipped = Math.abs(after - before) / MINUTE_MS;
  const first = Math.floor((at + Math.min(before, after)) / MINUTE_MS) % 1440;
  const last = first + skipped;
  const middle = first + Math.floor(skipped / 2);
  return [
    cut([first - 30, middle]),
    cut([middle, last + 30]),
    cut([first, last]),
    cut([first + 1, middle]),
    cut([first - 30, last + 30]),
    cut([first - 30, first]),
    cut([last, last + 30]),
    cut([first - 30, first + 1], [middle, last]),
    cut([first - 30, middle], [middle, last + 30]),
  ];
}

/** Windows that end or begin at midnight, and windows that meet there. */
const AT_MIDNIGHT = [cut([0, 1440]), cut([0, 1]), cut([1439, 1440]), cut([1439, 1441])];

const SPAN_MS = 20 * HOUR_MS;

/** The edges that hours.ts finds between an instant before the change and one after it. */
function edgesByUs(hours: BusinessHours, { at }: Shift): number[] {
  const edges: number[] = [];
  for (let ms = at - SPAN_MS; ; ) {
    const next = nextChange(hours, new Date(ms))?.getTime();
    if (next === undefined || next > at + SPAN_MS) return edges;
    edges.push(next);
    ms = next;
  }
}

function wrongEdges(tz: string, shift: Shift): string[] {
  const reference = edgesByTemporal(tz, shift, SPAN_MS);
  const today = zonedAt(tz, shift.at - 1).dayOfWeek;
  const oneDay = [[today], [(today % 7) + 1]];
  return [
    ...shapesAt(shift).map((windows) => ({ tz, days: everyDay, windows })),
    ...AT_MIDNIGHT.flatMap((windows) => [everyDay, ...oneDay].map((days) => ({ tz, days, windows }))),
  ].flatMap((hours) => {
    const [ours, theirs] = [edgesByUs(hours, shift), reference(hours)].map((edges) => iso(edges));
    return ours === theirs ? [] : [`${JSON.stringify(hours)}: ${ours}, not ${theirs}`];
  });
}

const iso = (edges: number[]): string => edges.map((ms) => new Date(ms).toISOString()).join(' ');

/** One change of each group with the same offsets, local time and day of the week. */
function kindsOf(tz: string, shifts: readonly Shift[]): readonly Shift[] {
  if (process.env.EVERY_CHANGE) return shifts;
  const kindOf = (shift: Shift): string => {
    const { dayOfWeek, hour, minute } = zonedAt(tz, shift.at);
    return [shift.before, shift.after, dayOfWeek, hour, minute].join();
  };
  return [...new Map(shifts.map((shift) => [kindOf(shift), shift])).values()];
}

describe('opening and closing of hours [campaigns.9]', () => {
  it.each(distinct.filter(({ shifts }) => shifts.length > 0).map(({ tz, shifts }) => [tz, shifts] as const))(
    'finds the edges around every kind of change in %s, and in every zone that changes with it',
    (tz, shifts) => expect(kindsOf(tz, shifts).flatMap((shift) => wrongEdges(tz, shift))).toEqual([]),
  );
});
