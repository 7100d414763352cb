import { expect } from '@jest/globals';
import { createLifecycle, type Lifecycle } from '@parley/kit/lifecycle';
import { createLogger } from '@parley/kit/log';
import { eventually } from '@parley/testkit';
import type { InboundRing } from '../../src/carriers/call-control.ts';
import type { Carrier } from '../../src/carriers/carrier.ts';
import { type Callers, type CarrierUnderTest, DEADLINE, listen, NOTHING } from './carrier-under-test.ts';

export type Offer = { ring: InboundRing; on: Carrier };
export type Reception = ReturnType<typeof createReception>;

let numbersGiven = 0;
/** A caller that no other test has. */
export function newCaller(): string {
  numbersGiven += 1;
  return `+1202556${5_000 + numbersGiven}`;
}

/** The calls that the two processes are offered, and take unless a test decides otherwise. */
export function createReception({ carrier, other, offers }: CarrierUnderTest) {
  const offered: Offer[] = [];
  const decisions = new Map<string, () => boolean>();
  let listening: Lifecycle | undefined;
  const offersOf = (from: string): Offer[] => offered.filter(({ ring }) => ring.from === from);
  const untilOffered = (from: string): Promise<Offer> =>
    eventually(() => {
      const [offer] = offersOf(from);
      if (!offer) throw new Error('the call was not offered');
      return offer;
    }, DEADLINE);

  return {
    open: (): void => {
      const log = createLogger({ service: 'test', level: 'silent' });
      listening = createLifecycle(log, { deadlineMs: 5_000 });
      for (const on of offers === 'to one process' ? [carrier()] : [carrier(), other()])
        on.receive(async (ring) => {
          offered.push({ ring, on });
          return decisions.get(ring.from)?.() ?? true;
        }, listening);
    },
    close: async (): Promise<void> => listening?.stop('test'),
    offersOf,
    untilOffered,
    /** Whether an offer of this caller's call is taken. */
    decide: (from: string, isTaken: () => boolean): void => void decisions.set(from, isTaken),
    /** A call that a process has taken and is attached to. */
    take: async (calls: Callers['waits']) => {
      const from = newCaller();
      const caller = await calls(from);
      const offer = offers && (await untilOffered(from));
      const reference = caller.reference ?? offer?.ring.reference ?? '';
      const on = offer?.on ?? carrier();
      const peer = on === carrier() ? other() : carrier();
      const heard = listen(on, reference);
      expect(await on.attach(reference, NOTHING)).toBe(true);
      return { caller, reference, ring: offer?.ring, on, peer, ...heard };
    },
  };
}
