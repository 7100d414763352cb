import { describe, expect, it } from '@jest/globals';
import { BATCH, chooseNumbers, wantedOf } from './choose-numbers.ts';
import type { NumberPace } from './dial-request.ts';
import type { AwaitedNumber } from './dials.store.ts';

const now = Date.parse('2026-01-31T08:00:00.000Z');
const after = (ms: number): Date => new Date(now + ms);
const span = { begin: after(0), end: after(350) };
const near = { dueBy: after(250), span };

const number = (phoneNumberId: string, given: Partial<NumberPace> = {}): AwaitedNumber => ({
  phoneNumberId,
  pace: {
    phoneNumberId,
    workspaceId: 'w',
    phoneNumber: '+14155550100',
    isActive: true,
    maxCps: 10,
    nextSlotMs: now,
    probeAt: null,
    ...given,
  },
});

describe('chooseNumbers', () => {
  const chosen = (awaited: readonly AwaitedNumber[], stuck: string[] = []) => {
    const { numbers, ...rest } = chooseNumbers(awaited, near, new Set(stuck));
    return { ids: numbers.map(({ phoneNumberId }) => phoneNumberId), ...rest };
  };

  it('takes the due numbers, and says when the next of the others is due', () => {
    const later = [400, 300].map((ms) => number(`in ${ms}`, { nextSlotMs: now + ms }));
    expect(chosen([...later, number('due', { nextSlotMs: now + 250 })])).toMatchObject({
      ids: ['due'],
      wakeAtMs: now + 300,
    });
  });

  it('waits for no slot if every number is due', () => {
    expect(chosen([number('n')]).wakeAtMs).toBe(Infinity);
    expect(chosen([]).wakeAtMs).toBe(Infinity);
  });

  it('takes inactive and deleted numbers whenever their next slot is', () => {
    const inactive = number('inactive', { isActive: false, nextSlotMs: now + 5_000 });
    expect(chosen([inactive, { phoneNumberId: 'deleted', pace: null }]).ids).toEqual(['inactive', 'deleted']);
  });

  it('retries a few of the stuck numbers, and changes none', () => {
    const stuck = Array.from({ length: BATCH }, (_, n) => `stuck ${n}`);
    const few = stuck.slice(0, BATCH / 2);
    const { ids, retried } = chosen(
      [...stuck, 'n'].map((id) => number(id)),
      stuck,
    );
    expect(ids).toEqual([...few, 'n']);
    expect(retried).toEqual(new Set(few));
  });
});

describe('wantedOf', () => {
  const wanted = (given: Partial<NumberPace>, isRetried = false) => {
    const { maxSingleCalls, maxOfCampaigns } = wantedOf(number('n', given), span, isRetried);
    return [maxSingleCalls, maxOfCampaigns];
  };

  it('is a request for each open slot, or one of each kind if the number is retried', () => {
    expect(wanted({})).toEqual([4, 4]);
    expect(wanted({}, true)).toEqual([1, 1]);
  });

  it('is no more than a batch', () => {
    expect(wanted({ maxCps: 1_000 })).toEqual([BATCH, BATCH]);
  });

  it('is a batch of an inactive or deleted number, whose requests take no slot', () => {
    expect(wanted({ isActive: false, nextSlotMs: now + 5_000 })).toEqual([BATCH, BATCH]);
    expect(wantedOf({ phoneNumberId: 'n', pace: null }, span, false).maxSingleCalls).toBe(BATCH);
  });

  it('is one request of campaigns, the probe, once that is due, while the circuit is open', () => {
    expect(wanted({ probeAt: after(350) })).toEqual([4, 1]);
    expect(wanted({ probeAt: after(351) })).toEqual([4, 0]);
  });
});
