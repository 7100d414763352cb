import { createCache } from '@parley/kit/cache';
import type { Log } from '@parley/kit/log';
import type { Limiter } from './bucket.ts';
import type { GuessCounts } from './guess-counts.ts';
import { digestOf } from './networks.ts';
import { rateLimited } from './request-limits.ts';

/** Guesses that are counted together: per account and network, per browser, or per session. */
export type Guesser = { kind: string; of: string };

export type GuessLimit = {
  /**
   * Counts a guess for each, and returns those that may guess now, in their order. Throws `RATE_LIMITED` if none
   * may. Call `right`, `takeBack` or (for a wrong guess) nothing afterwards.
   */
  reserve<G extends Guesser>(guessers: readonly G[]): Promise<G[]>;
  right(guessers: readonly Guesser[]): Promise<void>;
  takeBack(guessers: readonly Guesser[]): Promise<void>;
  /** A wrong password for an account from any network: many within an hour raise an alarm, and have no other effect. */
  countWrong(accountId: string): Promise<void>;
};

type Deps = {
  counts: GuessCounts;
  limiter: Limiter;
  log: Log;
  alarmPerAccountAndHour: number;
  onWrong: () => void;
  onAlarm: () => void;
};

const HOUR_MS = 3_600_000;
/** Per account and process: one log line per attack is enough. */
const ALARM_EVERY_MS = 10 * 60_000;
const MAX_ALARMED = 1_000;

export function createGuessLimit(deps: Deps): GuessLimit {
  const { counts, limiter, log, alarmPerAccountAndHour: perHour } = deps;
  const alarmed = createCache<string, true>({ maxEntries: MAX_ALARMED, ttlMs: ALARM_EVERY_MS });
  return {
    reserve: async (guessers) => {
      const waits = await Promise.all(guessers.map((guesser) => counts.reserve(nameOf(guesser))));
      const open = guessers.filter((_, i) => waits[i] === 0);
      if (open.length === 0 && guessers.length > 0) throw rateLimited({ retryAfterMs: Math.min(...waits) });
      return open;
    },
    right: async (guessers) => {
      await Promise.all(guessers.map((guesser) => counts.forget(nameOf(guesser))));
    },
    takeBack: async (guessers) => {
      await Promise.all(guessers.map((guesser) => counts.takeBack(nameOf(guesser))));
    },
    countWrong: async (accountId) => {
      deps.onWrong();
      const key = `${nameOf({ kind: 'wrong', of: accountId })}:sign-in-alarm`;
      const { allowed } = await limiter.take([{ key, intervalMs: HOUR_MS / perHour, burst: perHour }]);
      if (allowed) return;
      deps.onAlarm();
      if (alarmed.get(accountId)) return;
      alarmed.set(accountId, true);
      log.warn({ personId: accountId, perHour }, 'many wrong passwords for one account');
    },
  };
}

function nameOf({ kind, of }: Guesser): string {
  return digestOf(`guess ${kind} ${of}`);
}
