import type { BusinessHours } from '@parley/contracts';
import { zoneOffsetMs } from '@parley/kit/time';

/*
 * Business hours are decided from instants only: an instant is converted to local time by its zone's offset, never the
 * other way round. So a local hour that a clock change skips never occurs, and one that it repeats occurs twice, without
 * rules of their own. An unknown zone is closed.
 */

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** A clock change can skip a whole window: then the next one is a week later. */
const HORIZON_DAYS = 15;

/** Whether a campaign may dial at this time [campaigns.9]. Null means always. */
export function isOpen(hours: BusinessHours | null, at: Date): boolean {
  if (!hours) return true;
  const offset = zoneOffsetMs(hours.tz, at.getTime());
  return offset !== undefined && isOpenLocally(hours, at.getTime() + offset);
}

/** The first time after `at` at which `isOpen` changes; null if it doesn't within two weeks. */
export function nextChange(hours: BusinessHours | null, at: Date): Date | null {
  if (!hours || zoneOffsetMs(hours.tz, at.getTime()) === undefined) return null;
  const before = isOpen(hours, at);
  for (let day = 0; day < HORIZON_DAYS; day += 1) {
    const from = at.getTime() + day * DAY_MS;
    for (const [start, end, offset] of steadySpans(hours.tz, from, from + DAY_MS)) {
      const edge = [
        start,
        ...edgesBetween(hours, start + offset, end + offset).map((ms) => ms - offset),
      ].find((ms) => ms > at.getTime() && isOpenLocally(hours, ms + offset) !== before);
      if (edge !== undefined) return new Date(edge);
    }
  }
  return null;
}

/** The end of the window that is open at `at`, from which on nothing may be dialed; `at` if it is closed; null: never. */
export function closesAt(hours: BusinessHours | null, at: Date): Date | null {
  if (!hours) return null;
  return isOpen(hours, at) ? nextChange(hours, at) : at;
}

function isOpenLocally({ days, windows }: BusinessHours, localMs: number): boolean {
  const day = Math.floor(localMs / DAY_MS);
  // Day 0 of the epoch was a Thursday.
  if (!days.includes(((((day + 3) % 7) + 7) % 7) + 1)) return false;
  const minute = (localMs - day * DAY_MS) / MINUTE_MS;
  return windows.some(({ start, end }) => start <= minute && minute < end);
}

/** Local times in (from, to) at which a window or a day begins or ends, in order. */
function edgesBetween({ windows }: BusinessHours, from: number, to: number): number[] {
  const minutes = [...new Set([0, ...windows.flatMap(({ start, end }) => [start, end])])].sort(
    (a, b) => a - b,
  );
  const days = [Math.floor(from / DAY_MS), Math.floor(from / DAY_MS) + 1];
  return days
    .flatMap((day) => minutes.map((minute) => day * DAY_MS + minute * MINUTE_MS))
    .filter((ms) => ms > from && ms < to);
}

type Span = [start: number, end: number, offset: number];

/** Splits the span into pieces with one offset each: one, or two around a clock change. */
function steadySpans(tz: string, start: number, end: number): Span[] {
  const offset = zoneOffsetMs(tz, start) ?? 0;
  const after = zoneOffsetMs(tz, end) ?? 0;
  if (offset === after) return [[start, end, offset]];
  // Clocks change on whole minutes.
  let before = Math.floor(start / MINUTE_MS);
  let changed = Math.ceil(end / MINUTE_MS);
  while (changed - before > 1) {
    const middle = Math.floor((before + changed) / 2);
    if (zoneOffsetMs(tz, middle * MINUTE_MS) === offset) before = middle;
    else changed = middle;
  }
  return [
    [start, changed * MINUTE_MS, offset],
    [changed * MINUTE_MS, end, after],
  ];
}
