import type { Clock } from '@parley/kit/time';

const DAY_MS = 86_400_000;

/** What is kept of the past, and the days that attempts are written into. */
export type History = {
  /** Makes the days of attempts from one instant to another that aren't there yet. */
  makeDays(from: Date, to: Date): Promise<void>;
  /** Drops whole days of attempts; gives their names. */
  dropDays(keepFrom: Date): Promise<string[]>;
  /** Forgets some of the events that are over; whether there may be more. */
  forgetEvents(keepFrom: Date): Promise<boolean>;
};

export type Keep = { attemptsDays: number; eventsDays: number };

/** How far ahead days are made, besides what passes until the next run. */
const AHEAD_DAYS = 3;

/**
 * Makes days ahead and drops old ones, all by the stack's clock; every replica does, since it doesn't matter who. An event
 * outlives its attempts: it goes on telling how it ended, and can be resent. Whether there is more to forget.
 */
export async function keepHistory(
  { history, clock }: { history: History; clock: Clock },
  { keep, everyMs }: { keep: Keep; everyMs: number },
): Promise<boolean> {
  const now = clock.now();
  const daysAway = (days: number): Date => new Date(now.getTime() + days * DAY_MS);
  const untilNextRun = (2 * everyMs * clock.rate) / DAY_MS;
  await history.makeDays(now, daysAway(AHEAD_DAYS + untilNextRun));
  await history.dropDays(daysAway(-keep.attemptsDays));
  return history.forgetEvents(daysAway(-keep.eventsDays));
}
