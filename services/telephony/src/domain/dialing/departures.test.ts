import { describe, expect, it } from '@jest/globals';
import { createClock } from '@parley/kit/time';
import { createDepartures } from './departures.ts';

describe('createDepartures (D7.8)', () => {
  it('keeps the interval when the process was late for several slots', async () => {
    const clock = createClock({ rate: 20, originMs: Date.now() });
    const { depart } = createDepartures(clock);
    const now = clock.now().getTime();
    const left: number[] = [];
    const slots = [-900, -600, -300, 0].map((ms) => new Date(now + ms));
    await Promise.all(
      slots.map(async (at) => {
        await depart('n', { at, intervalMs: 300 });
        left.push(clock.now().getTime());
      }),
    );
    for (let i = 1; i < left.length; i += 1) {
      expect((left[i] ?? 0) - (left[i - 1] ?? 0)).toBeGreaterThanOrEqual(295);
    }
  });

  it('lets other numbers leave meanwhile, and nobody before its slot', async () => {
    const clock = createClock({ rate: 20, originMs: Date.now() });
    const { depart } = createDepartures(clock);
    const at = new Date(clock.now().getTime() + 400);
    await Promise.all([depart('a', { at, intervalMs: 10_000 }), depart('b', { at, intervalMs: 10_000 })]);
    expect(clock.now().getTime()).toBeGreaterThanOrEqual(at.getTime());
    expect(clock.now().getTime()).toBeLessThan(at.getTime() + 5_000);
  });
});
