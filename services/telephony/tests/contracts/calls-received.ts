import { describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import {
  type Callers,
  type CarrierUnderTest,
  DEADLINE,
  expectOne,
  listen,
  NOTHING,
} from './carrier-under-test.ts';
import { newCaller, type Offer, type Reception } from './reception.ts';

/** Calls that come in. */
export function callsReceived(
  { capabilities, offers, soFar, pressesKeys, endOfGoneLeg }: CarrierUnderTest,
  callers: Callers,
  { take, decide, offersOf, untilOffered }: Reception,
): void {
  const { givesUpUntaken, moves, isLeft } = callers;

  /** Ends a call that a process has taken. */
  const answerAndHangUp = async ({ on, ring: { reference } }: Offer): Promise<void> => {
    const { until } = listen(on, reference);
    await on.attach(reference, NOTHING);
    await on.answer(reference);
    await until('answered');
    await on.hangup(reference);
    await until('ended');
    on.detach(reference);
  };

  describe('a call that comes in', () => {
    if (offers === 'to any process')
      it('is offered until it is taken, to whichever process', async () => {
        const from = newCaller();
        decide(from, () => offersOf(from).length > 1);
        const caller = await callers.waits(from);
        await eventually(() => expect(offersOf(from)).toHaveLength(2), DEADLINE);
        const later = newCaller();
        const second = await callers.waits(later);
        const next = await untilOffered(later);
        const taker = offersOf(from).slice(1);
        expect(taker).toHaveLength(1);
        for (const offer of [...taker, next]) await answerAndHangUp(offer);
        await Promise.all([caller.done?.(), second.done?.()]);
      });

    if (offers && givesUpUntaken)
      it('is offered again when it could not be taken, also after its caller hung up, with the time of that', async () => {
        const from = newCaller();
        const gone = () => offersOf(from).flatMap(({ ring }) => (ring.goneAt ? [ring] : []));
        decide(from, () => {
          if (gone().length < 2) throw new Error('the database cannot be reached');
          return true;
        });
        const caller = await givesUpUntaken(from);
        await eventually(() => expect(gone()).toHaveLength(2), DEADLINE);
        const [first, second] = gone();
        expect(first?.goneAt?.getTime()).toBeGreaterThan(first?.at.getTime() ?? 0);
        expect(second).toEqual(first);
        await caller.done?.();
      });

    it('rings until we answer, and is hung up by us', async () => {
      const { on, caller, reference, ring, events, until } = await take(callers.waits);
      if (ring) {
        expect((await until('ringing')).legId).toBe(ring.legId);
        expect(events.map(({ type }) => type)).toEqual(['ringing']);
      }
      await on.answer(reference);
      const answered = await until('answered');
      expect(answered.at.getTime()).toBeGreaterThanOrEqual(ring?.at.getTime() ?? 0);
      await on.hangup(reference);
      const legId = ring?.legId ?? null;
      expect(await until('ended')).toMatchObject({ legId, cause: 'local', answeredAt: answered.at });
      await caller.done?.();
      on.detach(reference);
    });

    it('is answered once, however often it is told to', async () => {
      const { on, caller, reference, until, events } = await take(callers.waits);
      await on.answer(reference);
      await on.answer(reference);
      const { at } = await until('answered');
      await on.answer(reference);
      await on.hangup(reference);
      expect(await until('ended')).toMatchObject({ cause: 'local', answeredAt: at });
      expectOne(events, 'answered');
      await caller.done?.();
      on.detach(reference);
    });

    it('ends when its caller gives up', async () => {
      const { on, caller, reference, until, events } = await take(callers.givesUp);
      expect(await until('ended')).toMatchObject({ cause: 'remote', answeredAt: null });
      await on.answer(reference);
      expect(events.map(({ type }) => type)).not.toContain('answered');
      await caller.done?.();
      on.detach(reference);
    });

    it('ends when its caller hangs up', async () => {
      const { on, caller, reference, until } = await take(callers.hangsUp);
      await on.answer(reference);
      const { at } = await until('answered');
      expect(await until('ended')).toMatchObject({ cause: 'remote', answeredAt: at });
      await caller.done?.();
      on.detach(reference);
    });

    it('is declined', async () => {
      const { on, caller, reference, until, events } = await take(callers.isDeclined);
      await on.reject(reference);
      expect(await until('ended')).toMatchObject({ cause: 'rejected', answeredAt: null });
      await on.answer(reference);
      expect(events.map(({ type }) => type)).not.toContain('answered');
      await caller.done?.();
      on.detach(reference);
    });

    if (moves && capabilities.takeover === 'reattach')
      it('goes on in another process that attaches to it', async () => {
        const { on, peer, caller, reference, until } = await take(moves);
        await on.answer(reference);
        const { at } = await until('answered');
        const state = await soFar(reference);
        on.detach(reference);
        const second = listen(peer, reference);
        expect(await peer.attach(reference, state)).toBe(true);
        expect((await second.until('answered')).at).toEqual(at);
        await peer.hangup(reference);
        expect(await second.until('ended')).toMatchObject({ cause: 'local', answeredAt: at });
        await caller.done?.();
        peer.detach(reference);
      });

    if (isLeft && capabilities.takeover === 'reattach')
      it('is hung up by a process that has not attached to it', async () => {
        const { on, peer, caller, reference, until } = await take(isLeft);
        await on.answer(reference);
        await until('answered');
        const state = await soFar(reference);
        on.detach(reference);
        await peer.hangup(reference);
        const late = listen(peer, reference);
        expect(await peer.attach(reference, state)).toBe(true);
        expect(await late.until('ended')).toMatchObject({ cause: endOfGoneLeg });
        await caller.done?.();
        peer.detach(reference);
      });

    if (callers.pressesKeys) {
      const pressed = callers.pressesKeys;
      it('reports keys that its caller presses', async () => {
        const { on, caller, reference, keys, until } = await take(pressed);
        await on.answer(reference);
        await until('ended');
        expect(keys()).toBe('5#');
        await caller.done?.();
        on.detach(reference);
      });
    }

    if (!pressesKeys || !capabilities.transfer)
      it('refuses what its carrier cannot do, and goes on', async () => {
        const { on, caller, reference, until, events } = await take(callers.waits);
        await on.answer(reference);
        await until('answered');
        const transfer = { reference, transferId: reference, destination: '+12025550188' };
        if (!pressesKeys) await expect(on.sendDigits(reference, '1')).rejects.toThrow();
        if (!capabilities.transfer)
          await expect(on.transfer({ ...transfer, type: 'cold' })).rejects.toThrow();
        expect(events.map(({ type }) => type)).not.toContain('ended');
        await on.hangup(reference);
        await caller.done?.();
        on.detach(reference);
      });
  });
}
