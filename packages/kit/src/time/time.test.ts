import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  createClock,
  monotonicMs,
  realSleep,
  realTimer,
  toIsoMicros,
  toIsoMillis,
  withDeadline,
} from './index.ts';

describe('createClock', () => {
  it('is real time at rate 1, whatever the origin', () => {
    const clock = createClock({ rate: 1, originMs: 0 });
    expect(Math.abs(clock.now().getTime() - Date.now())).toBeLessThan(50);
    expect(clock.toRealMs(500)).toBe(500);
  });

  it('runs faster from its origin', () => {
    const originMs = Date.now() - 1_000;
    const clock = createClock({ rate: 60, originMs });
    const ran = clock.now().getTime() - originMs;
    expect(ran).toBeGreaterThanOrEqual(60_000);
    expect(ran).toBeLessThan(70_000);
    expect(Math.abs(clock.realNow().getTime() - Date.now())).toBeLessThan(50);
    expect(clock.toRealMs(60_000)).toBe(1_000);
  });

  it('sleeps in its own time, never too short', async () => {
    const clock = createClock({ rate: 100, originMs: Date.now() });
    const before = clock.now().getTime();
    await clock.sleep(5_000);
    expect(clock.now().getTime() - before).toBeGreaterThanOrEqual(4_900);
  });
});

describe('withDeadline', () => {
  const abortOf = (signal: AbortSignal): Promise<never> =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

  it('aborts the work in time, even if memory was collected before', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const work = withDeadline(100, abortOf, new AbortController().signal);
    const late = expect(work).rejects.toThrow('not done within 100 ms');
    for (let times = 0; times < 3; times += 1) {
      await realSleep(10);
      collect();
    }
    await late;
  }, 5_000);

  it('aborts it with a given signal', async () => {
    const given = new AbortController();
    const work = withDeadline(60_000, abortOf, given.signal);
    given.abort(new Error('stop'));
    await expect(work).rejects.toThrow('stop');
    expect(await withDeadline(60_000, async () => 1)).toBe(1);
  });
});

describe('realSleep', () => {
  it('rejects with the reason of its signal', async () => {
    const controller = new AbortController();
    const sleeping = realSleep(60_000, controller.signal);
    controller.abort(new Error('stop'));
    await expect(sleeping).rejects.toThrow('stop');
    await expect(realSleep(1, controller.signal)).rejects.toThrow('stop');
  });

  it('is never early', async () => {
    for (let round = 0; round < 20; round += 1) {
      const before = monotonicMs();
      await realSleep(3);
      expect(monotonicMs() - before).toBeGreaterThanOrEqual(3);
    }
  });
});

describe('realTimer', () => {
  const YEAR_MS = 365 * 24 * 3_600_000;
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('waits longer than a Node timeout can', () => {
    const fired = jest.fn();
    realTimer(YEAR_MS, fired);
    jest.advanceTimersByTime(YEAR_MS - 1_000);
    expect(fired).not.toHaveBeenCalled();
    jest.advanceTimersByTime(2_000);
    expect(fired).toHaveBeenCalledTimes(1);
  });

  it('can be cancelled, also late in a long wait', () => {
    const fired = jest.fn();
    const cancel = realTimer(YEAR_MS, fired);
    jest.advanceTimersByTime(YEAR_MS / 2);
    cancel();
    jest.advanceTimersByTime(YEAR_MS);
    expect(fired).not.toHaveBeenCalled();
    expect(jest.getTimerCount()).toBe(0);
  });
});

describe('formats of an instant', () => {
  const instant = new Date(Date.UTC(2026, 0, 31, 8, 0, 0, 123));
  it('has milliseconds with Z', () => expect(toIsoMillis(instant)).toBe('2026-01-31T08:00:00.123Z'));
  it('has microseconds with an offset', () =>
    expect(toIsoMicros(instant)).toBe('2026-01-31T08:00:00.123000+00:00'));
});
