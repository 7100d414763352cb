import { describe, expect, it } from '@jest/globals';
import type { Clock } from '@parley/kit/time';
import type { Transact } from '../clients/ports.ts';
import { DEPARTURE_MS, withdrawDials } from './withdraw-dials.ts';

const RATE = 10;

/** How long the answer waits, by the last slot of a call that the carrier has not reported on. */
async function waitsMs(leavesInMs: number | null): Promise<number[]> {
  const waits: number[] = [];
  const clock = {
    rate: RATE,
    toRealMs: (ms: number) => ms / RATE,
    now: () => new Date(0),
    sleep: async (ms: number) => void waits.push(ms),
  } as unknown as Clock;
  const dials = {
    raiseGate: async () => {},
    withdrawWaiting: async () => [],
    lastSlot: async () => (leavesInMs === null ? null : new Date(leavesInMs)),
  };
  const transact = ((work: (tx: never) => unknown) => work(undefined as never)) as unknown as Transact;
  await withdrawDials({ transact, clock, dials }, { campaignId: 'c', belowGeneration: 2, requestId: 'r' });
  return waits;
}

describe('[campaigns.7] once the verb has responded no contact is dialed', () => {
  it('does not wait if no call is about to leave', async () => {
    expect(await waitsMs(null)).toEqual([]);
  });

  it('a dial leaves before, as late as it may', async () => {
    expect(await waitsMs(3_000)).toEqual([3_000 + DEPARTURE_MS * RATE]);
    expect(await waitsMs(-1_000)).toEqual([DEPARTURE_MS * RATE - 1_000]);
    expect(await waitsMs(-DEPARTURE_MS * RATE)).toEqual([]);
  });

  it('a dial that leaves later than the verb can wait makes the client repeat it', async () => {
    await expect(waitsMs(3_600_000)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });
});
