import { describe, expect, it } from '@jest/globals';
import type { Clock } from '@parley/kit/time';
import { createDepartures, type WantedSlot } from './departures.ts';

/** A process that oversleeps as it is told to, and a database that takes its time and gives a slot so much later. */
function setUp({ oversleepsMs = [0], takingMs = [0], givenMs = 0 } = {}) {
  let nowMs = 100_000;
  const taken: WantedSlot[] = [];
  const clock: Clock = {
    rate: 1,
    now: () => new Date(nowMs),
    realNow: () => new Date(nowMs),
    toRealMs: (ms) => ms,
    sleep: async (ms) => {
      nowMs += ms + (oversleepsMs.shift() ?? 0);
    },
    timer: () => () => {},
  };
  const given: number[] = [];
  const take = async (_: string, wanted: WantedSlot) => {
    taken.push(wanted);
    nowMs += takingMs.shift() ?? 0;
    return new Date(wanted.notBefore.getTime() + givenMs);
  };
  const giveBack = async (_: string, slot: { at: Date }, leftAt: Date) => {
    given.push(leftAt.getTime() - slot.at.getTime());
  };
  const departureOf = createDepartures(clock, { take, giveBack });
  const granted = { at: new Date(nowMs + 200), intervalMs: 100 };
  return { departure: departureOf('n', granted), granted, taken, given, now: () => nowMs };
}

describe('createDepartures (D7.8)', () => {
  it('is near a little before the slot, and leaves at it', async () => {
    const { departure, now } = setUp();
    await departure.isNear();
    expect(now()).toBe(100_175);
    expect(await departure.leave()).toBeNull();
    expect(now()).toBe(100_200);
  });

  it('leaves some milliseconds late, as a timer does', async () => {
    const { departure, taken } = setUp({ oversleepsMs: [0, 3] });
    await departure.isNear();
    expect(await departure.leave()).toBeNull();
    expect(taken).toEqual([]);
  });

  it('does not leave when it was not there at the slot: it takes another one, wider than the last', async () => {
    const { departure, granted, taken, given, now } = setUp({ oversleepsMs: [0, 4], takingMs: [14, 23] });
    await departure.isNear();
    expect(await departure.leave()).toBeNull();
    expect(taken).toEqual([
      { missed: granted, notBefore: new Date(100_204), slackMs: 10 },
      {
        missed: { at: new Date(100_204), intervalMs: 110 },
        notBefore: new Date(100_218),
        slackMs: 28,
      },
    ]);
    expect(now()).toBe(100_218 + 23);
    expect(given).toEqual([23]);
  });

  it('has everything asked again when the next slot is further off than an answer holds', async () => {
    const { departure, now } = setUp({ oversleepsMs: [0, 4], givenMs: 500 });
    await departure.isNear();
    expect(await departure.leave()).toEqual(new Date(100_704));
    expect(now()).toBe(100_204);
    await departure.isNear();
    expect(now()).toBe(100_679);
    expect(await departure.leave()).toBeNull();
    expect(now()).toBe(100_704);
  });

  it('has everything asked again when it slept longer than an answer holds', async () => {
    const { departure, taken } = setUp({ oversleepsMs: [0, 51] });
    await departure.isNear();
    expect(await departure.leave()).toEqual(new Date(100_200));
    expect(taken).toEqual([]);
    expect(await departure.leave()).toBeNull();
    expect(taken).toHaveLength(1);
  });
});
