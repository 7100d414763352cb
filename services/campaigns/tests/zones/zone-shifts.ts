import { Temporal } from '@js-temporal/polyfill';

/** A change of a zone's clocks; offsets in milliseconds. A gap where `after` is more, a fold where it is less. */
export type Shift = { at: number; before: number; after: number };

export const FROM_MS = Date.UTC(2024, 0);
export const TO_MS = Date.UTC(2031, 0);

export function zonedAt(tz: string, ms: number): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(tz);
}

/** Every change of a zone's clocks from 2024 to 2030, by Temporal. */
export function shiftsOf(tz: string): Shift[] {
  const shifts: Shift[] = [];
  let zoned = zonedAt(tz, FROM_MS);
  for (;;) {
    const next = zoned.getTimeZoneTransition('next');
    if (!next || next.epochMilliseconds >= TO_MS) return shifts;
    const before = next.subtract({ nanoseconds: 1 }).offsetNanoseconds / 1e6;
    shifts.push({ at: next.epochMilliseconds, before, after: next.offsetNanoseconds / 1e6 });
    zoned = next;
  }
}

/** The instants at which a local time occurs: none in a gap, two in a fold. From local time to instant, unlike hours.ts. */
export function instantsOf(tz: string, local: Temporal.PlainDateTime): number[] {
  const once = onlyInstantOf(tz, local);
  if (once !== undefined) return [once];
  const found = (['earlier', 'later'] as const)
    .map((disambiguation) => local.toZonedDateTime(tz, { disambiguation }))
    .filter((zoned) => zoned.toPlainDateTime().equals(local));
  return [...new Set(found.map((zoned) => zoned.epochMilliseconds))];
}

/** Undefined in a gap and in a fold. Most local times are in neither, and Temporal is slow. */
function onlyInstantOf(tz: string, local: Temporal.PlainDateTime): number | undefined {
  try {
    return local.toZonedDateTime(tz, { disambiguation: 'reject' }).epochMilliseconds;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
