import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@parley/kit/log';
import {
  createLocalGuessCounts,
  createRedisGuessCounts,
  delayAfterMs,
  type GuessCount,
  reserveGuess,
} from './guess-counts.ts';
import { createFallback } from './redis-limiter.ts';

describe('the delay of guesses [access.10]', () => {
  it('begins with the fifth guess, doubles, and ends at 15 minutes', () => {
    const delays = Array.from({ length: 20 }, (_, i) => delayAfterMs(i + 1) / 1_000);
    expect(delays.slice(0, 8)).toEqual([0, 0, 0, 0, 1, 2, 4, 8]);
    expect(delays.slice(13)).toEqual([512, 900, 900, 900, 900, 900, 900]);
  });

  it('allows about a hundred guesses a day', () => {
    let count: GuessCount = { guesses: 0, notBeforeMs: 0 };
    let nowMs = 0;
    let tried = 0;
    for (; nowMs < 86_400_000; tried += 1) {
      count = reserveGuess(count, nowMs).count;
      nowMs = Math.max(nowMs, count.notBeforeMs);
    }
    expect(tried).toBeGreaterThan(90);
    expect(tried).toBeLessThan(115);
  });

  it('counts a guess before it is checked; a refused one is not counted', () => {
    const fourth = { guesses: 4, notBeforeMs: 0 };
    const fifth = reserveGuess(fourth, 1_000);
    expect(fifth).toEqual({ count: { guesses: 5, notBeforeMs: 2_000 }, retryAfterMs: 0 });
    expect(reserveGuess(fifth.count, 1_500)).toEqual({ count: fifth.count, retryAfterMs: 500 });
  });
});

describe('the counters of one process', () => {
  it('are reset by a correct password, decremented for guesses that were not checked, and expire after a day', async () => {
    let nowMs = 5_000;
    const counts = createLocalGuessCounts(() => nowMs);
    const times = async (n: number) => {
      let wait = 0;
      for (let i = 0; i < n; i += 1) wait = await counts.reserve('a');
      return wait;
    };
    expect(await times(6)).toBe(1_000);
    await counts.forget('a');
    expect(await times(5)).toBe(0);
    await counts.takeBack('a');
    expect([await counts.reserve('a'), await counts.reserve('a')]).toEqual([0, 1_000]);
    nowMs += 86_400_001;
    expect(await times(5)).toBe(0);
  });
});

it('counts locally while Redis is unavailable, and a correct password resets both counters', async () => {
  const asked: string[] = [];
  let isAway = true;
  const run = async (_script: string, [key = '']: string[]) => {
    if (isAway) throw new Error('away');
    asked.push(key);
    return 0;
  };
  const orElse = createFallback(createLogger({ service: 'gateway', level: 'silent' }), () => {});
  const counts = createRedisGuessCounts(run, 'p', createLocalGuessCounts(), orElse);
  for (let i = 0; i < 5; i += 1) expect(await counts.reserve('a')).toBe(0);
  expect(await counts.reserve('a')).toBeGreaterThan(900);
  isAway = false;
  expect(await counts.reserve('a')).toBe(0);
  await counts.forget('a');
  isAway = true;
  expect(await counts.reserve('a')).toBe(0);
  expect(asked).toEqual(['p:guesses:{a}', 'p:guesses:{a}']);
});
