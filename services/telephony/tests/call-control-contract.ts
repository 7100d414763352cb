import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { eventually } from '@parley/testkit';
import type { InboundRing, LegEvent, LegSoFar } from '../src/carriers/call-control.ts';
import type { Carrier } from '../src/carriers/carrier.ts';

/** Numbers that are named after their behavior, and two processes of one carrier. */
export type CarrierUnderTest = {
  carrier(): Carrier;
  /** The same carrier in another process. */
  other(): Carrier;
  /** Somebody calls a number of ours, says these lines and hangs up; waits so long for an answer. Gives the reference. */
  callIn(script: readonly string[], patienceMs?: number): Promise<string>;
  numbers: { answers: string; busy: string; silent: string; machine: string; loses: string; from: string };
};

export const NOTHING: LegSoFar = { humanTurns: 0, lastSpeaker: null, state: null };
const DEADLINE = { timeoutMs: 30_000 };

/** The events of a leg that this process receives. */
export function listen(on: Carrier, reference: string) {
  const events: LegEvent[] = [];
  const stop = on.watch(reference, (event) => events.push(event));
  const until = <T extends LegEvent['type']>(type: T) =>
    eventually(() => {
      const found = events.find((event): event is Extract<LegEvent, { type: T }> => event.type === type);
      if (!found) throw new Error(`no ${type} among ${events.map((event) => event.type)}`);
      return found;
    }, DEADLINE);
  return { events, until, stop };
}

export const requestTo = (to: string, from: string, reference: string = randomUUID()) => ({
  reference,
  workspaceId: randomUUID(),
  from,
  to,
  ringTimeoutMs: 60_000,
  detectsMachine: true,
  openConnection: () => Promise.reject(new Error('the number has no connection')),
  isTooLate: () => false,
});

/** What one process is offered; it takes those that `takes` says. */
function offered(on: Carrier, takes: () => boolean) {
  const rings: InboundRing[] = [];
  const stops: (() => unknown)[] = [];
  const lifecycle = {
    onStop: (_: string, stop: () => unknown) => void stops.push(stop),
  } as unknown as Lifecycle;
  on.receive(async (ring) => {
    rings.push(ring);
    return takes();
  }, lifecycle);
  const of = (reference: string) => rings.filter((ring) => ring.reference === reference);
  return { of, stop: () => Promise.all(stops.map((stop) => stop())) };
}

/** A call that came in and that this process took. */
export async function taken(
  { carrier, callIn }: Pick<CarrierUnderTest, 'carrier' | 'callIn'>,
  script: readonly string[] = [],
) {
  const { of, stop } = offered(carrier(), () => true);
  const reference = await callIn(script);
  await eventually(() => expect(of(reference)).toHaveLength(1), DEADLINE);
  await stop();
  const heard = listen(carrier(), reference);
  expect(await carrier().attach(reference, NOTHING)).toBe(true);
  return { reference, ring: of(reference)[0], ...heard };
}

/** The signalling of every carrier, whatever its media. */
export function callControlContract(name: string, underTest: CarrierUnderTest): void {
  const { carrier, other, callIn, numbers } = underTest;
  describe(`call control: ${name}`, () => {
    const dial = async (to: string) => {
      const reference = randomUUID();
      const heard = listen(carrier(), reference);
      const { legId, isSent } = await carrier().originate(requestTo(to, numbers.from, reference));
      expect(isSent).toBe(true);
      return { reference, legId, ...heard };
    };

    it('tells of a leg that is answered, and of nobody else', async () => {
      const stranger = listen(carrier(), randomUUID());
      const { legId, events, until, reference } = await dial(numbers.silent);
      const answered = await until('answered');
      expect(answered.legId).toBe(legId);
      await carrier().hangup(reference);
      const ended = await until('ended');
      expect(ended).toMatchObject({ legId, cause: 'local', answeredAt: answered.at, machine: false });
      expect(ended.at.getTime()).toBeGreaterThanOrEqual(answered.at.getTime());
      expect(events.map(({ type }) => type)).toEqual(['ringing', 'answered', 'ended']);
      expect(stranger.events).toEqual([]);
      carrier().detach(reference);
    });

    it('tells why a leg was not answered', async () => {
      const { reference, until } = await dial(numbers.busy);
      expect(await until('ended')).toMatchObject({ cause: 'busy', answeredAt: null, machine: false });
      carrier().detach(reference);
    });

    it('tells of a machine', async () => {
      const { reference, until } = await dial(numbers.machine);
      await until('machine_detected');
      await carrier().hangup(reference);
      expect(await until('ended')).toMatchObject({ machine: true });
      carrier().detach(reference);
    });

    it('hangs up as often as it is asked, and what it does not know', async () => {
      const { reference, events, until } = await dial(numbers.silent);
      await carrier().hangup(reference);
      await carrier().hangup(reference);
      await until('ended');
      await carrier().hangup(randomUUID());
      expect(events.filter(({ type }) => type === 'ended')).toHaveLength(1);
      carrier().detach(reference);
    });

    it('goes on in another process that attaches to the leg', async () => {
      const first = await dial(numbers.silent);
      await first.until('answered');
      carrier().detach(first.reference);
      const second = listen(other(), first.reference);
      expect(await other().attach(first.reference, NOTHING)).toBe(true);
      expect((await second.until('answered')).legId).toBe(first.legId);
      await other().hangup(first.reference);
      await second.until('ended');
      other().detach(first.reference);
    });

    it('tells of an end that the other process brought about', async () => {
      const first = await dial(numbers.silent);
      await first.until('answered');
      carrier().detach(first.reference);
      await other().hangup(first.reference);
      const second = listen(other(), first.reference);
      await other().attach(first.reference, NOTHING);
      expect(await second.until('ended')).toMatchObject({ cause: 'local' });
      other().detach(first.reference);
    });

    it('sends nothing once it is too late, and says so', async () => {
      const reference = randomUUID();
      const { events } = listen(carrier(), reference);
      const request = { ...requestTo(numbers.silent, numbers.from, reference), isTooLate: () => true };
      expect(await carrier().originate(request)).toMatchObject({ isSent: false });
      expect(await other().attach(reference, NOTHING)).toBe(false);
      expect(events).toEqual([]);
      carrier().detach(reference);
    });

    it('knows no leg that nobody asked for', async () => {
      expect(await carrier().attach(randomUUID(), NOTHING)).toBe(false);
    });

    it('has a leg though its answer was lost', async () => {
      const reference = randomUUID();
      const { until } = listen(carrier(), reference);
      const request = requestTo(numbers.loses, numbers.from, reference);
      await expect(carrier().originate(request)).rejects.toThrow();
      await until('answered');
      expect(await other().attach(reference, NOTHING)).toBe(true);
      other().detach(reference);
      carrier().detach(reference);
    });

    it('transfers a leg, or says that it could not', async () => {
      const { reference, events, until } = await dial(numbers.silent);
      await until('answered');
      const [busy, answers] = [randomUUID(), randomUUID()];
      const transfer = (transferId: string, destination: string) =>
        carrier().transfer({ reference, transferId, destination, type: 'cold' });
      await transfer(busy, numbers.busy);
      expect(await until('transfer_result')).toMatchObject({ transferId: busy, ok: false });
      events.length = 0;
      await transfer(answers, numbers.answers);
      expect(await until('transfer_result')).toMatchObject({ transferId: answers, ok: true });
      expect(await until('ended')).toMatchObject({ cause: 'transferred' });
      carrier().detach(reference);
    });

    it('presses keys on a leg that is here, and on no other', async () => {
      const { reference, until } = await dial(numbers.silent);
      await until('answered');
      await carrier().sendDigits(reference, '1#');
      await expect(carrier().sendDigits(randomUUID(), '1')).rejects.toThrow();
      await carrier().hangup(reference);
      carrier().detach(reference);
    });

    describe('a call that comes in', () => {
      it('is offered until it is taken, here or elsewhere', async () => {
        const refuses = offered(carrier(), () => false);
        const reference = await callIn([]);
        await eventually(() => expect(refuses.of(reference).length).toBeGreaterThan(0), DEADLINE);
        await refuses.stop();
        const takes = offered(other(), () => true);
        await eventually(() => expect(takes.of(reference)).toHaveLength(1), DEADLINE);
        const again = await callIn([]);
        await eventually(() => expect(takes.of(again)).toHaveLength(1), DEADLINE);
        expect(takes.of(reference)).toHaveLength(1);
        await takes.stop();
      });

      it('rings until we pick up, and until we hang up', async () => {
        const { reference, ring, events, until } = await taken(underTest, ['Hello?']);
        expect((await until('ringing')).legId).toBe(ring?.legId);
        expect(events.map(({ type }) => type)).toEqual(['ringing']);
        await carrier().answer(reference);
        const answered = await until('answered');
        expect(answered.at.getTime()).toBeGreaterThanOrEqual(ring?.at.getTime() ?? 0);
        await carrier().hangup(reference);
        expect(await until('ended')).toMatchObject({ cause: 'local', answeredAt: answered.at });
        carrier().detach(reference);
      });

      it('is picked up once, however often we say so', async () => {
        // A caller with something to say waits for an answer to it, and doesn't hang up by itself.
        const { reference, until, events } = await taken(underTest, ['Hello?']);
        await carrier().answer(reference);
        const { at } = await until('answered');
        await carrier().answer(reference);
        await carrier().hangup(reference);
        expect(await until('ended')).toMatchObject({ cause: 'local', answeredAt: at });
        const answers = events.filter(({ type }) => type === 'answered');
        for (const answer of answers) expect(answer.at).toEqual(at);
        carrier().detach(reference);
      });

      it('is offered also when its caller is gone by then, with when that was', async () => {
        const reference = await callIn([], 1_000);
        const refuses = offered(carrier(), () => false);
        const gone = await eventually(() => {
          const ring = refuses.of(reference).at(-1);
          if (!ring?.goneAt) throw new Error('the caller still waits');
          return ring;
        }, DEADLINE);
        await refuses.stop();
        expect(gone.goneAt?.getTime()).toBeGreaterThan(gone.at.getTime());
        const takes = offered(other(), () => true);
        await eventually(() => expect(takes.of(reference)[0]?.goneAt).toEqual(gone.goneAt), DEADLINE);
        await takes.stop();
      });

      it('is turned away', async () => {
        const { reference, until } = await taken(underTest);
        await carrier().reject(reference);
        expect(await until('ended')).toMatchObject({ cause: 'rejected', answeredAt: null });
        await carrier().answer(reference);
        carrier().detach(reference);
      });

      it('goes on in another process that attaches to it', async () => {
        const first = await taken(underTest, ['Hello?']);
        await carrier().answer(first.reference);
        const { at } = await first.until('answered');
        carrier().detach(first.reference);
        const second = listen(other(), first.reference);
        expect(await other().attach(first.reference, NOTHING)).toBe(true);
        expect((await second.until('answered')).at).toEqual(at);
        other().detach(first.reference);
      });
    });
  });
}
