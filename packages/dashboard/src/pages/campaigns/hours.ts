import type { BusinessHours } from '@parley/contracts';

export type Window = BusinessHours['windows'][number];

export const DAY_MINUTES = 1440;
export const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;

/** `09:30`; the end of the day is `24:00`. */
export function clockTime(minutes: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** Minutes since midnight of `9:30` or `09:30`; undefined if it is no time of a day. */
export function readClockTime(text: string): number | undefined {
  const match = /^(\d{1,2}):(\d{2})$/.exec(text.trim());
  if (!match) return undefined;
  const minutes = Number(match[1]) * 60 + Number(match[2]);
  return Number(match[2]) < 60 && minutes <= DAY_MINUTES ? minutes : undefined;
}

/** Sorted, without overlaps: windows that touch become one. */
export function joinWindows(windows: readonly Window[]): Window[] {
  const joined: Window[] = [];
  for (const window of [...windows].sort((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last && window.start <= last.end) last.end = Math.max(last.end, window.end);
    else joined.push({ ...window });
  }
  return joined;
}

/** The windows with this part of the day added or removed. */
export function paint(windows: readonly Window[], part: Window, isOpen: boolean): Window[] {
  if (isOpen) return joinWindows([...windows, part]);
  return windows.flatMap(({ start, end }) =>
    [
      { start, end: Math.min(end, part.start) },
      { start: Math.max(start, part.end), end },
    ].filter((rest) => rest.start < rest.end),
  );
}

/** `Mon–Fri 09:00–17:00 (Europe/Berlin)`. */
export function hoursInWords(hours: BusinessHours | null): string {
  if (!hours) return 'At any time';
  const times = joinWindows(hours.windows)
    .map(({ start, end }) =>
      end - start === DAY_MINUTES ? 'all day' : `${clockTime(start)}–${clockTime(end)}`,
    )
    .join(', ');
  return `${daysInWords(hours.days)} ${times} (${hours.tz.replaceAll('_', ' ')})`;
}

function daysInWords(days: readonly number[]): string {
  const sorted = [...new Set(days)].sort((a, b) => a - b);
  if (sorted.length === DAYS.length) return 'Every day';
  const runs: [number, number][] = [];
  for (const day of sorted) {
    const run = runs.at(-1);
    if (run && run[1] === day - 1) run[1] = day;
    else runs.push([day, day]);
  }
  const short = (day: number) => DAYS[day - 1]?.slice(0, 3) ?? '';
  return runs
    .map(([from, to]) => {
      if (from === to) return short(from);
      return `${short(from)}${to === from + 1 ? ', ' : '–'}${short(to)}`;
    })
    .join(', ');
}
