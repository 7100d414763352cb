import { formatDay } from '../../../app/format-time.ts';
import type { CallSearch, Period } from './call-search.ts';

export const PERIOD_WORDS: Readonly<Record<Period, string>> = {
  today: 'Today',
  yesterday: 'Yesterday',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
};

/** The days that are chosen, in words; undefined: all. */
export function daysInWords({ period, after, before }: CallSearch): string | undefined {
  if (period) return PERIOD_WORDS[period];
  if (after && before)
    return after === before ? formatDay(after) : `${formatDay(after)} – ${formatDay(before)}`;
  if (after) return `since ${formatDay(after)}`;
  return before ? `until ${formatDay(before)}` : undefined;
}
