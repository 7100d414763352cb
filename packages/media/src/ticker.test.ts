import { describe, expect, it } from '@jest/globals';
import { createManualClock } from './testing/manual-clock.ts';
import { createTicker, withErrorHandler } from './ticker.ts';

describe('createTicker', () => {
  it('ticks every 20 ms, without drift when timers are late', () => {
    const clock = createManualClock(1_000);
    const late = { ...clock, timer: (ms: number, fn: () => void) => clock.timer(Math.ceil(ms) + 3, fn) };
    const ticker = createTicker(late, fail);
    const ticks: number[] = [];
    ticker.subscribe((dueMs) => ticks.push(dueMs));
    clock.advance(1_000);
    expect(ticks.slice(0, 3)).toEqual([1_000, 1_020, 1_040]);
    expect(ticks.length).toBeGreaterThanOrEqual(49);
    expect(ticks.every((dueMs, n) => dueMs === 1_000 + 20 * n)).toBe(true);
  });

  it('spreads its subscribers over the frame', () => {
    const clock = createManualClock();
    const ticker = createTicker(clock, fail);
    const firsts = [0, 1, 2, 3].map(() => {
      const seen: number[] = [];
      ticker.subscribe((dueMs) => seen.push(dueMs));
      return seen;
    });
    clock.advance(100);
    expect(new Set(firsts.map((seen) => (seen[0] ?? 0) % 20)).size).toBe(4);
    expect(ticker.subscribers).toBe(4);
  });

  it('catches up with short delays and skips long ones', () => {
    const clock = createManualClock();
    let held: (() => void) | undefined;
    let hold = false;
    const ticker = createTicker(
      {
        nowMs: clock.nowMs,
        timer: (ms, fn) => {
          if (!hold) return clock.timer(ms, fn);
          held = fn;
          return () => undefined;
        },
      },
      fail,
    );
    const ticks: number[] = [];
    ticker.subscribe((dueMs) => ticks.push(dueMs));
    clock.advance(40);
    const stall = (ms: number): number => {
      hold = true;
      clock.advance(20);
      const before = ticks.length;
      clock.advance(ms);
      hold = false;
      held?.();
      return ticks.length - before;
    };
    expect(stall(60)).toBeGreaterThanOrEqual(3);
    expect(ticker.skipped).toBe(0);
    expect(stall(10_000)).toBeLessThanOrEqual(2);
    expect(ticker.skipped).toBeGreaterThan(400);
    expect(ticks.every((dueMs) => dueMs % 20 === 0)).toBe(true);
  });

  it('keeps others ticking when one fails, and stops its timer after the last one unsubscribes', () => {
    const clock = createManualClock();
    const errors: unknown[] = [];
    const ticker = createTicker(clock, (error) => errors.push(error));
    let ticks = 0;
    const stopBroken = ticker.subscribe(() => {
      throw new Error('broken');
    });
    const stop = ticker.subscribe(() => {
      ticks += 1;
    });
    clock.advance(100);
    expect(ticks).toBeGreaterThanOrEqual(4);
    expect(errors.length).toBeGreaterThanOrEqual(4);
    stopBroken();
    stop();
    const before = ticks;
    clock.advance(100);
    expect(ticks).toBe(before);
    ticker.subscribe(() => {
      ticks += 1;
    });
    clock.advance(100);
    expect(ticks).toBeGreaterThan(before);
  });
});

describe('withErrorHandler', () => {
  it('gives what its subscribers throw to its own handler, while others tick', () => {
    const clock = createManualClock();
    const ticker = createTicker(clock, fail);
    const errors: unknown[] = [];
    const stopBroken = withErrorHandler(ticker, (error) => errors.push(error)).subscribe(() => {
      throw new Error('broken');
    });
    let ticks = 0;
    ticker.subscribe(() => {
      ticks += 1;
    });
    clock.advance(100);
    expect(ticks).toBeGreaterThanOrEqual(4);
    expect(errors.length).toBeGreaterThanOrEqual(4);
    stopBroken();
    expect(ticker.subscribers).toBe(1);
  });
});

function fail(error: unknown): void {
  throw error;
}
