import { offsetMs } from '../../../app/zoned-time.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** The day (`2026-03-14`) of an instant in a zone. */
export function dayOf(at: Date, zone: string): string {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).formatToParts(at);
  const part = (type: string) => parts.find((found) => found.type === type)?.value ?? '';
  return `${part('year')}-${part('month')}-${part('day')}`;
}

/** The instant at which a day begins in a zone, also where clocks change at midnight. */
export function startOfDay(day: string, zone: string): Date {
  const utc = Date.parse(`${day}T00:00:00Z`);
  const guess = utc - offsetMs(utc, zone);
  const start = utc - offsetMs(guess, zone);
  // Where midnight does not exist, the day begins after the gap.
  return new Date(dayOf(new Date(start), zone) < day ? start + 60 * MINUTE_MS : start);
}

/** The last millisecond of a day in a zone. */
export function endOfDay(day: string, zone: string): Date {
  return new Date(startOfDay(addDays(day, 1), zone).getTime() - 1);
}

export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T12:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}
