import { describe, expect, it } from '@jest/globals';
import type { Clock } from '@parley/kit/time';
import { createDepartures, type WantedSlot } from './departures.ts';
import type { Slot } from './lanes.ts';

const START_MS = 100_000;
/** Ten a second. */
const APART_MS = 100;

/** A process that oversleeps as it is told to, and a database that takes its time and gives a slot so much later. */
function setUp({ oversleepsMs = [0], takingMs = [0], givenMs = 0 } = {}) {
  let nowMs = START_MS;
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
  const passes = (ms: number): void => {
    nowMs += ms;
  };
  const departures = createDepartures(clock, async (_, wanted) => {
    taken.push(wanted);
    nowMs += takingMs.shift() ?? 0;
    return new Date(wanted.notBefore.getTime() + givenMs);
  });
  /** A dial that is granted so far ahead, and so patiently. */
  const grant = (aheadMs: number, patienceMs: number) => {
    const at = new Date(START_MS + aheadMs);
    const slot: Slot = { at, intervalMs: APART_MS, lateUntil: new Date(at.getTime() + patienceMs) };
    return { slot, departure: departures.of('n', slot) };
  };
  return { departures, grant, taken, passes, sinceStart: () => nowMs - START_MS };
}

const depart = () => 'left';

describe('createDepartures [campaigns.10]', () => {
  it('is near a little before the slot, and leaves at it', async () => {
    const { grant, sinceStart } = setUp();
    const { departure } = grant(200, 250);
    await departure.isNear();
    expect(sinceStart()).toBe(175);
    expect(await departure.leave(depart)).toEqual({ departed: 'left' });
    expect(sinceStart()).toBe(200);
  });

  it('leaves late while the others keep away, and those behind it keep their distance', async () => {
    const { grant, taken, sinceStart } = setUp({ oversleepsMs: [60] });
    const [first, second, third] = [grant(0, 450), grant(100, 350), grant(200, 250)];
    await first.departure.isNear();
    expect(await first.departure.leave(depart)).toEqual({ departed: 'left' });
    const left = [sinceStart()];
    for (const { departure } of [second, third]) {
      await departure.isNear();
      expect(await departure.leave(depart)).toEqual({ departed: 'left' });
      left.push(sinceStart());
    }
    expect(taken).toEqual([]);
    // Four milliseconds of the tolerance are made up for with each.
    expect(left).toEqual([0, 135, 231]);
  });

  it('takes another slot when it comes later than the others wait for, as patient as it was late', async () => {
    const { grant, taken, sinceStart } = setUp({ oversleepsMs: [0, 5], takingMs: [14] });
    const { slot, departure } = grant(200, 0);
    await departure.isNear();
    expect(await departure.leave(depart)).toEqual({ departed: 'left' });
    expect(taken).toEqual([{ missed: slot, notBefore: new Date(START_MS + 205), patienceMs: 1_200 }]);
    expect(sinceStart()).toBe(205 + 14);
  });

  it('leaves some milliseconds late, as a timer does, even where the others do not wait', async () => {
    const { grant, taken } = setUp({ oversleepsMs: [0, 4] });
    const { departure } = grant(200, 0);
    await departure.isNear();
    expect(await departure.leave(depart)).toEqual({ departed: 'left' });
    expect(taken).toEqual([]);
  });

  it('has everything asked again when the next slot is further off than an answer holds', async () => {
    const { grant, sinceStart } = setUp({ oversleepsMs: [0, 5], givenMs: 500 });
    const { departure } = grant(200, 0);
    await departure.isNear();
    expect(await departure.leave(depart)).toEqual({ postponedTo: new Date(START_MS + 705) });
    expect(sinceStart()).toBe(205);
    await departure.isNear();
    expect(sinceStart()).toBe(680);
    expect(await departure.leave(depart)).toEqual({ departed: 'left' });
    expect(sinceStart()).toBe(705);
  });

  it('has everything asked again when it slept longer than an answer holds', async () => {
    const { grant, taken } = setUp({ oversleepsMs: [0, 51] });
    const { departure } = grant(200, 0);
    await departure.isNear();
    expect(await departure.leave(depart)).toEqual({ postponedTo: new Date(START_MS + 200) });
    expect(taken).toEqual([]);
    expect(await departure.leave(depart)).toEqual({ departed: 'left' });
    expect(taken).toHaveLength(1);
  });

  it('has everything asked again when the answer was so long on its way that it tells of another time', async () => {
    const { grant, passes } = setUp();
    const { departure } = grant(0, 1_000);
    await departure.isNear();
    passes(251);
    expect(await departure.leave(depart)).toEqual({ postponedTo: new Date(START_MS) });
    await departure.isNear();
    passes(249);
    expect(await departure.leave(depart)).toEqual({ departed: 'left' });
  });

  it('counts what has yet to leave, but for what is made up for and what was given up', async () => {
    const { departures, grant } = setUp({ oversleepsMs: [300] });
    expect(departures.freeAtMs('n')).toBeLessThan(START_MS);
    grant(0, 250);
    const { departure } = grant(100, 150);
    expect(departures.freeAtMs('n')).toBe(START_MS + 200 - 4 - 900);
    await departure.isNear();
    expect(departures.freeAtMs('n')).toBeLessThan(START_MS);
  });

  it('lets the others have as good a turn after a thousand in a row', () => {
    const { departures, grant } = setUp();
    expect(departures.patienceMs('n', 1_000, 0)).toBe(200);
    for (let i = 0; i < 990; i += 1) grant(i * APART_MS, 250);
    expect(departures.patienceMs('n', 9, 0)).toBe(1_200);
    expect(departures.patienceMs('n', 10, 0)).toBe(200);
    grant(991 * APART_MS, 185);
    expect(departures.patienceMs('n', 10, 0)).toBe(1_200);
  });

  it('catches up before the others have their turn, unless that takes too long', async () => {
    const { departures, grant } = setUp({ oversleepsMs: [100] });
    for (const { departure } of [grant(0, 350), grant(100, 250)]) {
      await departure.isNear();
      await departure.leave(depart);
    }
    // The second left 75 ms late, which the third is 4 ms less.
    grant(200, 250);
    expect(departures.patienceMs('n', 1_000, 0)).toBe(1_200);
    expect(departures.patienceMs('n', 1_500, 0)).toBe(200);
    // Nor where slots are granted that have gone by.
    expect(setUp().departures.patienceMs('n', 1_000, 60)).toBe(1_200);
  });

  it('expects dials where they will leave: behind those that are late, at their slots where nothing is', async () => {
    const { departures, grant, passes } = setUp();
    const slots = (...aheadMs: number[]) =>
      aheadMs.map((ms) => ({ at: new Date(START_MS + ms), intervalMs: APART_MS }));
    const expected = (...aheadMs: number[]) =>
      departures.expectedMs('n', slots(...aheadMs)).map((ms) => ms - START_MS);
    expect(expected(0, 100, 200)).toEqual([0, 100, 200]);
    grant(0, 600);
    passes(50);
    // The one that should have left leaves now at the earliest.
    expect(expected(100, 200, 1_000)).toEqual([146, 242, 1_000]);
    const { departure } = grant(60, 600);
    await departure.isNear();
    await departure.leave(depart);
    // One has left, and the first has yet to.
    expect(expected(-300, -200)).toEqual([252, 348]);
  });

  it('is caught up with by an eighth of the interval at most, where that is less than four milliseconds', () => {
    const { departures } = setUp();
    const at = new Date(START_MS - 500);
    const expected = (intervalMs: number) =>
      departures.expectedMs('n', Array(3).fill({ at, intervalMs })).map((ms) => ms - START_MS);
    expect(expected(100)).toEqual([0, 96, 192]);
    expect(expected(8)).toEqual([0, 7, 14]);
  });
});
