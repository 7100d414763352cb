import { zoneOffsetMs } from '@parley/kit/time';

/*
 * Days and hours of a time zone as instants. Offsets of zones are multiples of a quarter hour, so all of them begin at one. A day begins
 * at the first quarter hour of its date: at midnight, or later if a clock change skips midnight.
 */

export const QUARTER_MS = 15 * 60_000;
const HOUR_MS = 4 * QUARTER_MS;
const DAY_MS = 24 * HOUR_MS;
/** No zone is further from UTC. */
const MAX_OFFSET_MS = 16 * HOUR_MS;

/** `[fromMs, toMs)` with its name: a date, or the instant of its start. */
export type TimeBucket = { key: string; fromMs: number; toMs: number };

/** The date of an instant in a zone: `2026-03-14`. */
export function dateAt(zone: string, atMs: number): string {
  return new Date(atMs + offsetOf(zone, atMs)).toISOString().slice(0, 10);
}

/** The date after or before another one. */
export function dateAfter(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);
}

/** The start of a date in a zone. */
export function startOfDate(zone: string, date: string): number {
  const midnight = Date.parse(date);
  // Right unless the clock changes at this midnight: before it, the offset is that of the day before.
  const usual = midnight - offsetOf(zone, midnight - DAY_MS / 2);
  if (usual + offsetOf(zone, usual) === midnight && dateAt(zone, usual - QUARTER_MS) < date) return usual;
  let before = midnight - MAX_OFFSET_MS;
  let after = midnight + MAX_OFFSET_MS;
  while (after - before > QUARTER_MS) {
    const middle = before + Math.floor((after - before) / QUARTER_MS / 2) * QUARTER_MS;
    if (dateAt(zone, middle) < date) before = middle;
    else after = middle;
  }
  return after;
}

/** The days of a zone in `[fromMs, toMs)`; the first and the last one may be cut. A date that the zone skips is missing. */
export function daysBetween(zone: string, fromMs: number, toMs: number): TimeBucket[] {
  const days: TimeBucket[] = [];
  let start = fromMs;
  for (let date = dateAt(zone, fromMs); start < toMs; date = dateAfter(date, 1)) {
    const end = Math.min(startOfDate(zone, dateAfter(date, 1)), toMs);
    if (end > start) days.push({ key: date, fromMs: start, toMs: end });
    start = Math.max(start, end);
  }
  return days;
}

/** The hours since the start of each day; the last one of a day is shorter if a clock change is not of whole hours. */
export function hoursBetween(zone: string, fromMs: number, toMs: number): TimeBucket[] {
  return daysBetween(zone, fromMs, toMs).flatMap((day) => {
    const dayStart = startOfDate(zone, day.key);
    const hours: TimeBucket[] = [];
    for (let start = day.fromMs; start < day.toMs; ) {
      const next = dayStart + (Math.floor((start - dayStart) / HOUR_MS) + 1) * HOUR_MS;
      const end = Math.min(next, day.toMs);
      hours.push({ key: new Date(start).toISOString(), fromMs: start, toMs: end });
      start = end;
    }
    return hours;
  });
}

/**
 * Spans of the rollups in minutes, largest first: 64 days, 8 days, a day, six hours, an hour, a quarter hour. Each divides the one before,
 * and all are counted from the epoch. Days of a zone need few spans because of the small ones, years because of the large ones.
 */
export const SPANS = [92_160, 11_520, 1_440, 360, 60, 15] as const;

/** Consecutive spans of one size. */
export type Run = { spanMinutes: number; fromMs: number; toMs: number };

/** The fewest spans that make up `[fromMs, toMs)`, which begins and ends at quarter hours. */
export function coverWithSpans(fromMs: number, toMs: number): Run[] {
  const runs: Run[] = [];
  for (let at = fromMs; at < toMs; ) {
    const spanMinutes = SPANS.find((span) => at % (span * 60_000) === 0 && at + span * 60_000 <= toMs) ?? 15;
    const end = at + spanMinutes * 60_000;
    const last = runs.at(-1);
    if (last?.spanMinutes === spanMinutes) last.toMs = end;
    else runs.push({ spanMinutes, fromMs: at, toMs: end });
    at = end;
  }
  return runs;
}

function offsetOf(zone: string, atMs: number): number {
  const offset = zoneOffsetMs(zone, atMs);
  if (offset === undefined) throw new Error(`unknown time zone ${zone}`);
  return offset;
}
