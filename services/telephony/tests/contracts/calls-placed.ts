import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import {
  type Callees,
  type CarrierUnderTest,
  dial,
  expectOne,
  listen,
  NOTHING,
  requestTo,
} from './carrier-under-test.ts';

/** Longer than the ring time, since the session hangs up first. */
const RINGS_AT_MOST_MS = 15_000;

/** Calls that a carrier places. */
export function callsPlaced(underTest: CarrierUnderTest, callees: Callees): void {
  const { carrier, other, capabilities, soFar } = underTest;

  it('reports that a leg rings, is answered and is hung up by us, to its listeners only', async () => {
    const stranger = listen(carrier(), randomUUID());
    const callee = await callees.answers();
    const { reference, legId, events, until } = await dial(carrier(), callee);
    const gone = listen(carrier(), reference);
    gone.stop();
    const answered = await until('answered');
    expect(answered.legId).toBe(legId);
    await carrier().hangup(reference);
    const ended = await until('ended');
    expect(ended).toMatchObject({ legId, cause: 'local', answeredAt: answered.at, machine: false });
    expect(ended.at.getTime()).toBeGreaterThanOrEqual(answered.at.getTime());
    const signals = events.filter(({ type }) => type !== 'media').map(({ type }) => type);
    expect(signals).toEqual(['ringing', 'answered', 'ended']);
    expect([stranger.events, gone.events]).toEqual([[], []]);
    await callee.done?.();
    carrier().detach(reference);
  });

  it('reports that the far end is busy', async () => {
    const callee = await callees.isBusy();
    const { reference, until } = await dial(carrier(), callee);
    expect(await until('ended')).toMatchObject({ cause: 'busy', answeredAt: null, machine: false });
    await callee.done?.();
    carrier().detach(reference);
  });

  it('reports that the far end hangs up', async () => {
    const callee = await callees.hangsUp();
    const { reference, until } = await dial(carrier(), callee);
    const { at } = await until('answered');
    expect(await until('ended')).toMatchObject({ cause: 'remote', answeredAt: at });
    await callee.done?.();
    carrier().detach(reference);
  });

  it('stops ringing when we hang up', async () => {
    const callee = await callees.rings();
    const { reference, until } = await dial(carrier(), callee);
    await until('ringing');
    await carrier().hangup(reference);
    expect(await until('ended')).toMatchObject({ cause: 'local', answeredAt: null, machine: false });
    await callee.done?.();
    carrier().detach(reference);
  });

  it('does not ring for ever, should its session be gone', async () => {
    const callee = await callees.rings();
    const { reference, until } = await dial(carrier(), callee, { ringTimeoutMs: 1_000 });
    const { at: ringingAt } = await until('ringing');
    const { at, cause, answeredAt } = await until('ended');
    expect(at.getTime() - ringingAt.getTime()).toBeLessThan(RINGS_AT_MOST_MS);
    expect(['no_answer', 'local']).toContain(cause);
    expect(answeredAt).toBeNull();
    await callee.done?.();
    carrier().detach(reference);
  });

  it('hangs up once, however often it is told to', async () => {
    const callee = await callees.answers();
    const { reference, events, until } = await dial(carrier(), callee);
    await until('answered');
    await carrier().hangup(reference);
    await carrier().hangup(reference);
    await until('ended');
    await carrier().hangup(reference);
    expectOne(events, 'ended');
    await callee.done?.();
    carrier().detach(reference);
  });

  it('sends nothing once it is too late, and says so', async () => {
    const request = requestTo(await callees.answers(), { isTooLate: () => true });
    const { reference } = request;
    const { events } = listen(carrier(), reference);
    expect(await carrier().originate(request)).toMatchObject({ isSent: false });
    expect(await other().attach(reference, NOTHING)).toBe(false);
    expect(events).toEqual([]);
    carrier().detach(reference);
  });

  if (capabilities.takeover === 'reattach') {
    it('goes on in another process that attaches to the leg', async () => {
      const callee = await callees.moves();
      const first = await dial(carrier(), callee);
      const { reference, legId } = first;
      const { at } = await first.until('answered');
      const state = await soFar(reference);
      carrier().detach(reference);
      const second = listen(other(), reference);
      expect(await other().attach(reference, state)).toBe(true);
      expect(await second.until('answered')).toMatchObject({ legId, at });
      await other().hangup(reference);
      expect(await second.until('ended')).toMatchObject({ legId, cause: 'local', answeredAt: at });
      await callee.done?.();
      other().detach(reference);
    });

    it('is hung up by a process that has not attached to it', async () => {
      const callee = await callees.isLeft();
      const { reference, until } = await dial(carrier(), callee);
      await until('answered');
      const state = await soFar(reference);
      carrier().detach(reference);
      await other().hangup(reference);
      const late = listen(other(), reference);
      expect(await other().attach(reference, state)).toBe(true);
      expect(await late.until('ended')).toMatchObject({ cause: underTest.endOfGoneLeg });
      await callee.done?.();
      other().detach(reference);
    });
  }

  const { isTransferred, isNotTransferred, pressesKeys, expectsKeys, isMachine, losesResponse } = callees;

  const transfer = async (to: typeof isTransferred) => {
    const callee = await to?.();
    if (!callee?.destination) throw new Error('a carrier that transfers needs a far end to transfer');
    const call = await dial(carrier(), callee);
    await call.until(capabilities.media === 'audio' ? 'media' : 'answered');
    const transferId = randomUUID();
    const { reference } = call;
    const { destination } = callee;
    await carrier().transfer({ reference, transferId, destination, type: 'cold' });
    return { callee, transferId, ...call };
  };

  if (capabilities.transfer) {
    it('transfers a leg', async () => {
      const { callee, reference, transferId, until } = await transfer(isTransferred);
      expect(await until('transfer_result')).toMatchObject({ transferId, ok: true });
      expect(await until('ended')).toMatchObject({ cause: 'transferred' });
      await callee.done?.();
      carrier().detach(reference);
    });

    it('reports that a transfer failed; the leg goes on', async () => {
      const { callee, reference, transferId, events, until } = await transfer(isNotTransferred);
      expect(await until('transfer_result')).toMatchObject({ transferId, ok: false });
      expect(events.map(({ type }) => type)).not.toContain('ended');
      await carrier().hangup(reference);
      expect(await until('ended')).toMatchObject({ cause: 'local' });
      await callee.done?.();
      carrier().detach(reference);
    });
  }

  it('presses keys of a telephone, and refuses others', async () => {
    const callee = await (expectsKeys ?? callees.answers)();
    const { reference, until } = await dial(carrier(), callee);
    await until(capabilities.media === 'audio' ? 'media' : 'answered');
    await carrier().sendDigits(reference, '1#');
    await expect(carrier().sendDigits(reference, '1x')).rejects.toThrow();
    await carrier().hangup(reference);
    await callee.done?.();
    carrier().detach(reference);
  });

  if (pressesKeys)
    it('reports keys that the far end presses', async () => {
      const callee = await pressesKeys();
      const { reference, keys, until } = await dial(carrier(), callee);
      await until('ended');
      expect(keys()).toBe('5#');
      await callee.done?.();
      carrier().detach(reference);
    });

  if (isMachine)
    it('reports that a machine answered', async () => {
      const { reference, until } = await dial(carrier(), await isMachine());
      await until('machine_detected');
      await carrier().hangup(reference);
      expect(await until('ended')).toMatchObject({ machine: true });
      carrier().detach(reference);
    });

  if (losesResponse)
    it('has a leg though the response to its request was lost', async () => {
      const request = requestTo(await losesResponse());
      const { reference } = request;
      const { until } = listen(carrier(), reference);
      await expect(carrier().originate(request)).rejects.toThrow();
      await until('answered');
      expect(await other().attach(reference, NOTHING)).toBe(true);
      other().detach(reference);
      carrier().detach(reference);
    });
}
