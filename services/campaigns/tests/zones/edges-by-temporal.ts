import type { Temporal } from '@js-temporal/polyfill';
import type { BusinessHours } from '@parley/contracts';
import { instantsOf, type Shift, zonedAt } from './zone-shifts.ts';

/**
 * When hours open and close around a shift, by Temporal: the local edges of the days around it are resolved to instants,
 * and it is asked at each, and at the shift itself, what the local day and minute are. One of these for a shift: what
 * was resolved once is kept.
 */
export function edgesByTemporal(tz: string, shift: Shift, spanMs: number) {
  const day = zonedAt(tz, shift.at - 1).toPlainDate();
  const instants = new Map<number, number[]>();
  const locals = new Map<number, Temporal.PlainDateTime>();
  const around = [-1, 0, 1].map((days) => day.add({ days }));

  const instantsAt = (minute: number): number[] =>
    kept(instants, minute, () =>
      around.flatMap((date) => instantsOf(tz, date.toPlainDateTime().add({ minutes: minute }))),
    );
  const isOpen = ({ days, windows }: BusinessHours, ms: number): boolean => {
    const local = kept(locals, ms, () => zonedAt(tz, ms).toPlainDateTime());
    const minute = local.hour * 60 + local.minute;
    return days.includes(local.dayOfWeek) && windows.some((w) => w.start <= minute && minute < w.end);
  };

  /** The instants at which it opens or closes within `spanMs` of the shift, in order. */
  return (hours: BusinessHours): number[] => {
    const minutes = [0, ...hours.windows.flatMap(({ start, end }) => [start, end])];
    const from = shift.at - spanMs;
    const candidates = [...minutes.flatMap(instantsAt), shift.at]
      .filter((ms) => Math.abs(ms - shift.at) <= spanMs)
      .sort((a, b) => a - b);
    let open = isOpen(hours, from);
    return candidates.filter((ms) => {
      const changes = ms > from && isOpen(hours, ms) !== open;
      if (changes) open = !open;
      return changes;
    });
  };
}

function kept<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
