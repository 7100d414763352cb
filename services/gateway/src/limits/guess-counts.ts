import { createCache } from '@parley/kit/cache';
import { monotonicMs } from '@parley/kit/time';
import type { Fallback, RunScript } from './redis-limiter.ts';

/** So many wrong guesses in a row are free; after the last of them the next one has to wait. */
const GUESSES_BEFORE_DELAY = 5;
const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 15 * 60_000;
/** A count expires this long after its last guess. */
const FORGET_MS = 24 * 3_600_000;

export type GuessCount = { guesses: number; notBeforeMs: number };

/**
 * The delay after consecutive wrong guesses [access.10]: none after each of the first four, 1 s after the fifth, then doubling up to 15 minutes
 * (after the 15th). That allows about a hundred guesses a day.
 */
export function delayAfterMs(guesses: number): number {
  if (guesses < GUESSES_BEFORE_DELAY) return 0;
  return Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (guesses - GUESSES_BEFORE_DELAY));
}

/** Counts a guess before it is checked, so that concurrent guesses are all counted. */
export function reserveGuess(
  { guesses, notBeforeMs }: GuessCount,
  nowMs: number,
): { count: GuessCount; retryAfterMs: number } {
  if (nowMs < notBeforeMs) return { count: { guesses, notBeforeMs }, retryAfterMs: notBeforeMs - nowMs };
  const next = guesses + 1;
  return { count: { guesses: next, notBeforeMs: nowMs + delayAfterMs(next) }, retryAfterMs: 0 };
}

/** Wrong guesses in a row. Names are digests, so that neither addresses nor accounts are stored. */
export type GuessCounts = {
  /** Counts a guess and returns 0, or returns the milliseconds until the next one is allowed. */
  reserve(name: string): Promise<number>;
  /** The guess was right: resets the count. */
  forget(name: string): Promise<void>;
  /** The guess was not checked: removes it from the count. */
  takeBack(name: string): Promise<void>;
};

const MAX_NAMES = 50_000;
const NONE: GuessCount = { guesses: 0, notBeforeMs: 0 };

/** Used while Redis is unavailable. */
export function createLocalGuessCounts(nowMs: () => number = monotonicMs): GuessCounts {
  const counts = createCache<string, GuessCount>({ maxEntries: MAX_NAMES, ttlMs: FORGET_MS, nowMs });
  return {
    reserve: async (name) => {
      const { count, retryAfterMs } = reserveGuess(counts.get(name) ?? NONE, nowMs());
      if (retryAfterMs === 0) counts.set(name, count);
      return retryAfterMs;
    },
    forget: async (name) => {
      counts.delete(name);
    },
    takeBack: async (name) => {
      const known = counts.get(name);
      if (!known) return;
      counts.set(name, { guesses: Math.max(0, known.guesses - 1), notBeforeMs: 0 });
    },
  };
}

/** `reserveGuess` by Redis' clock, in milliseconds. */
const RESERVE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local free, first, max, forget = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local known = redis.call('HMGET', KEYS[1], 'guesses', 'not_before')
local guesses, notBefore = tonumber(known[1] or 0), tonumber(known[2] or 0)
if now < notBefore then return notBefore - now end
guesses = guesses + 1
local delay = 0
if guesses >= free then delay = math.min(max, first * 2 ^ math.min(guesses - free, 30)) end
redis.call('HSET', KEYS[1], 'guesses', guesses, 'not_before', string.format('%.0f', now + delay))
redis.call('PEXPIRE', KEYS[1], forget)
return 0`;

const FORGET = `return redis.call('DEL', KEYS[1])`;

const TAKE_BACK = `
local guesses = tonumber(redis.call('HGET', KEYS[1], 'guesses') or 0)
if guesses > 0 then redis.call('HSET', KEYS[1], 'guesses', guesses - 1, 'not_before', 0) end
return 0`;

const ARGUMENTS = [
  GUESSES_BEFORE_DELAY,
  delayAfterMs(GUESSES_BEFORE_DELAY),
  delayAfterMs(Number.MAX_SAFE_INTEGER),
  FORGET_MS,
];

/** Counts shared by all replicas; `local` counts while Redis is unavailable. */
export function createRedisGuessCounts(
  run: RunScript,
  prefix: string,
  local: GuessCounts,
  orElse: Fallback,
): GuessCounts {
  const runScript = <T>(script: string, name: string, args: number[], locally: () => Promise<T>) =>
    orElse(() => run(script, [`${prefix}:guesses:{${name}}`], args) as Promise<T>, locally);
  return {
    reserve: (name) => runScript(RESERVE, name, ARGUMENTS, () => local.reserve(name)),
    forget: async (name) => {
      // It may have been counted locally during an outage.
      await local.forget(name);
      await runScript(FORGET, name, [], async () => undefined);
    },
    takeBack: async (name) => {
      await runScript(TAKE_BACK, name, [], () => local.takeBack(name));
    },
  };
}
