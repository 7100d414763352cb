import { describe, expect, it } from '@jest/globals';
import type { Clock } from '@parley/kit/time';
import type { Transact } from '../clients/ports.ts';
import { BELIEVED_MS } from './departures.ts';
import { withdrawDials } from './withdraw-dials.ts';

const RATE = 10;

/** How long the answer waits where the last dial that was granted and isn't known to have left has its slot then. */
async function waitsMs(leavesInMs: number | null): Promise<number[]> {
  const waits: number[] = [];
  const clock = {
    rate: RATE,
    now: () => new Date(0),
    sleep: async (ms: number) => void waits.push(ms),
  } as unknown as Clock;
  const dials = {
    raiseGate: async () => {},
    withdrawWaiting: async () => [],
    lastGrantedDial: async () => (leavesInMs === null ? null : new Date(leavesInMs)),
  };
  const transact = ((work: (tx: never) => unknown) => work(undefined as never)) as unknown as Transact;
  await withdrawDials({ transact, clock, dials }, { campaignId: 'c', belowGeneration: 2, requestId: 'r' });
  return waits;
}

describe('[campaigns.5] once the verb has answered nobody is dialled any more', () => {
  it('nothing is waited for where nothing was granted', async () => {
    expect(await waitsMs(null)).toEqual([]);
  });

  it('what was granted leaves before', async () => {
    expect(await waitsMs(3_000)).toEqual([3_000]);
  });

  it('a dial that is late leaves by what it was told before, which holds for a moment', async () => {
    const holdsMs = BELIEVED_MS * RATE;
    expect(await waitsMs(-5_000)).toEqual([holdsMs]);
    expect(await waitsMs(1)).toEqual([holdsMs]);
  });

  it('no slot is waited for beyond the budget of the verb: by then it is asked what stands in the way', async () => {
    expect(await waitsMs(3_600_000)).toEqual([1_500 * RATE]);
  });
});
