import { minutesInWords } from '../minutes-in-words.ts';

export function rateWords(perSecond: number): string {
  if (perSecond >= 1) return `${perSecond.toFixed(perSecond < 10 ? 1 : 0)}/s`;
  return `${(perSecond * 60).toFixed(perSecond * 60 < 10 ? 1 : 0)}/min`;
}

type Ended = { started_at: string | null; completed_at: string | null; completed_calls: number };

/** How long a campaign took, and its average pace; undefined if it never started or goes on. */
export function paceOf({ started_at, completed_at, completed_calls: done }: Ended) {
  if (started_at === null || completed_at === null) return undefined;
  const seconds = Math.max(1, Math.round((Date.parse(completed_at) - Date.parse(started_at)) / 1000));
  return {
    duration: seconds < 60 ? `${seconds} s` : minutesInWords(Math.round(seconds / 60)),
    rate: rateWords(done / seconds),
  };
}
