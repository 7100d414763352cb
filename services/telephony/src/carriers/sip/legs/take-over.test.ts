import { describe, expect, it, jest } from '@jest/globals';
import {
  answered,
  CALL,
  headerOf,
  type MemoryProcess,
  memoryProcess,
  resultOf,
  settle,
} from '../../../../tests/sip/memory-process.ts';
import { mediaClock } from '../../../speech/media-clock.ts';
import { continueCall } from './continue-call.ts';
import type { LegState } from './leg-state.ts';
import { createTakeOver } from './take-over.ts';

const REFER_ACCEPTED = 202;

/** What was stored of a call whose worker has died. */
async function stored(bridged: 'ringing' | 'answered' | 'bridged'): Promise<LegState> {
  const dead = memoryProcess();
  await answered(dead);
  await dead.transfer({
    ...{ reference: CALL, transferId: 'one', destination: '+12025550188', type: 'warm' },
    consult: () => (bridged === 'bridged' ? Promise.resolve(true) : new Promise(() => {})),
  });
  await settle();
  const invite = dead.last('INVITE');
  await dead.respond(invite, 180);
  if (bridged !== 'ringing') await dead.respond(invite, 200, { sdp: true });
  const state = dead.states.get(CALL);
  if (!state?.bridged) throw new Error('Nothing is stored');
  expect(state.isBridged).toBe(bridged === 'bridged');
  return state;
}

const takeOver = (process: MemoryProcess, state: LegState, moved = new AbortController()) => {
  process.watch(CALL);
  return continueCall(process.here, CALL, state, moved.signal);
};
const callIdOf = (text: string): string => headerOf(text, 'Call-ID');
/** Hung up or cancelled, by Call-ID. */
const endedBy = (process: MemoryProcess): string[] =>
  process.sent.filter((text) => /^(BYE|CANCEL) /.test(text)).map(callIdOf);

describe('the takeover of a call with the target of a transfer [sip.14]', () => {
  it.each(['ringing', 'answered', 'bridged'] as const)(
    'hangs up a target that was %s if the party hangs up during the re-INVITE',
    async (phase) => {
      const process = memoryProcess();
      const taking = resultOf(takeOver(process, await stored(phase)).then(() => true));
      await settle();
      // The far end has no response to our re-INVITE any more.
      await process.request('BYE', 7, process.last('INVITE'));
      expect(endedBy(process)).toEqual([`${CALL}-one`]);
      expect(process.events.map(({ type }) => type)).not.toContain('ended');
      if (phase === 'ringing') {
        const cancel = process.last('CANCEL');
        await process.respond(cancel, 200);
        await process.respond(cancel.replace(/ CANCEL\r/, ' INVITE\r'), 487);
      } else await process.respond(process.last('BYE'), 200);
      const cause = phase === 'bridged' ? 'transferred' : 'remote';
      expect(process.events).toContainEqual(expect.objectContaining({ type: 'ended', cause }));
      expect(taking).toEqual({ value: true });
    },
  );

  it('ends the call only after the target was hung up, which stays stored until then', async () => {
    const process = memoryProcess();
    const taking = takeOver(process, await stored('answered'));
    await settle();
    const reinvite = process.last('INVITE');
    await process.respond(reinvite, 200, { sdp: true });
    await taking;
    expect(endedBy(process)).toEqual([`${CALL}-one`]);
    expect(process.states.get(CALL)?.bridged).toMatchObject({ dialog: { callId: `${CALL}-one` } });
    const bye = process.last('BYE');
    process.here.legs.get(CALL)?.hangup();
    await settle();
    expect(process.events.map(({ type }) => type)).not.toContain('ended');
    await process.respond(bye, 200);
    expect(process.events).toContainEqual(expect.objectContaining({ type: 'ended', cause: 'local' }));
  });

  it('hangs up a bridged target if the party hangs up during the re-INVITE of the target', async () => {
    const process = memoryProcess();
    const taking = takeOver(process, await stored('bridged'));
    await settle();
    const reinvite = process.last('INVITE');
    await process.respond(reinvite, 200, { sdp: true });
    expect(callIdOf(process.last('INVITE'))).toBe(`${CALL}-one`);
    await process.request('BYE', 7, reinvite);
    await taking;
    expect(endedBy(process)).toEqual([`${CALL}-one`]);
    await process.respond(process.last('BYE'), 200);
    expect(process.events).toContainEqual(expect.objectContaining({ type: 'ended', cause: 'transferred' }));
  });

  it('stays stored as bridged while its party is asked, and is bridged again even if that cannot be stored', async () => {
    const process = memoryProcess();
    const taking = takeOver(process, await stored('bridged'));
    await settle();
    const state = process.states.get(CALL);
    expect(state).toMatchObject({ isBridged: true, bridged: { dialog: { callId: `${CALL}-one` } } });
    process.storage.beforeSave = () => Promise.reject(new Error('the database is gone'));
    await process.respond(process.last('INVITE'), 200, { sdp: true });
    const ofTarget = process.last('INVITE');
    expect(callIdOf(ofTarget)).toBe(`${CALL}-one`);
    await process.respond(ofTarget, 200, { sdp: true });
    await taking;
    expect(endedBy(process)).toEqual([]);
    expect(process.events.map(({ type }) => type)).not.toContain('ended');
    expect(process.here.transfers.get(CALL)?.isBridged()).toBe(true);
  });

  it('hangs up both if the target cannot be connected to for a moment', async () => {
    const process = memoryProcess();
    const state = await stored('bridged');
    const taking = takeOver(process, state);
    await settle();
    const reinvite = process.last('INVITE');
    let failures = 1;
    process.network.connect = async () => {
      failures -= 1;
      if (failures >= 0) throw new Error('refused');
    };
    await process.respond(reinvite, 200, { sdp: true });
    await taking;
    expect(new Set(endedBy(process))).toEqual(new Set([CALL, `${CALL}-one`]));
    expect(process.events.map(({ type }) => type)).not.toContain('ended');
    for (const bye of process.sentOf('BYE ')) await process.respond(bye, 200);
    expect(process.events).toContainEqual(expect.objectContaining({ type: 'ended', cause: 'transferred' }));
  });

  it('hangs up the target if the party cannot be reached for 30 seconds, and then ends the call', async () => {
    const process = memoryProcess();
    const state = await stored('bridged');
    process.watch(CALL);
    let failures = 2;
    process.network.connect = async () => {
      failures -= 1;
      if (failures >= 0) throw new Error('refused');
    };
    const takeOver = createTakeOver(process.here);
    await expect(takeOver.attach(CALL, state)).rejects.toThrow('refused');
    expect(process.sent).toEqual([]);
    const now = mediaClock.nowMs();
    jest.spyOn(mediaClock, 'nowMs').mockImplementation(() => now + 31_000);
    const attaching = takeOver.attach(CALL, state);
    await settle();
    jest.restoreAllMocks();
    expect(endedBy(process)).toEqual([`${CALL}-one`]);
    expect(process.events).toEqual([]);
    await process.respond(process.last('BYE'), 200);
    expect(await attaching).toBe(true);
    await settle();
    expect(process.events).toEqual([expect.objectContaining({ type: 'ended', cause: 'lost' })]);
  });

  it('sends nothing to the target if the call moves to another worker during the re-INVITE of the party', async () => {
    const process = memoryProcess();
    const moved = new AbortController();
    const taking = takeOver(process, await stored('bridged'), moved);
    await settle();
    const reinvite = process.last('INVITE');
    moved.abort();
    process.here.legs.get(CALL)?.body.release();
    process.here.transfers.get(CALL)?.release();
    process.here.transfers.delete(CALL);
    await process.respond(reinvite, 200, { sdp: true });
    await taking;
    expect(process.sent.filter((text) => callIdOf(text) === `${CALL}-one`)).toEqual([]);
    expect(endedBy(process)).toEqual([]);
  });
});

describe('a re-INVITE to which the far end does not respond in time [sip.14]', () => {
  const takingOver = async () => {
    const dead = memoryProcess();
    await answered(dead);
    const state = dead.states.get(CALL);
    if (!state) throw new Error('Nothing is stored');
    const process = memoryProcess();
    const taking = takeOver(process, { ...state, leg: { ...state.leg, hop: { via: 'edge' } } });
    await settle();
    return { process, taking };
  };

  it('is repeated if the edge says so', async () => {
    const { process, taking } = await takingOver();
    await process.respond(process.last('INVITE'), 408, { headers: ['Server: Parley'] });
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect(process.sentOf('INVITE ')).toHaveLength(2);
    await process.respond(process.last('INVITE'), 200, { sdp: true });
    await taking;
    expect(process.events.map(({ type }) => type)).not.toContain('ended');
  });

  it('ends the call if the far end says so', async () => {
    const { process, taking } = await takingOver();
    await process.respond(process.last('INVITE'), 408);
    await taking;
    expect(process.events).toContainEqual(expect.objectContaining({ type: 'ended', cause: 'lost' }));
  });
});

describe('cancelling a ringing leg of a dead worker [sip.14]', () => {
  const ringing = async (): Promise<LegState> => {
    const dead = memoryProcess();
    const { invite } = await dead.dial(CALL);
    await dead.respond(invite, 180);
    const state = dead.states.get(CALL);
    if (!state) throw new Error('Nothing is stored');
    return state;
  };

  it('acknowledges each answer that still comes, and hangs up once', async () => {
    const process = memoryProcess();
    void takeOver(process, await ringing());
    await settle();
    const invite = process.last('CANCEL').replace(/ CANCEL\r/, ' INVITE\r');
    await process.respond(invite, 200, { sdp: true });
    await process.respond(invite, 200, { sdp: true });
    expect([process.sentOf('ACK ').length, process.sentOf('BYE ').length]).toEqual([2, 1]);
    await process.respond(process.last('BYE'), 200);
    expect(process.events).toContainEqual(expect.objectContaining({ type: 'ended', cause: 'lost' }));
  });

  it('is complete when the edge responds to the CANCEL: it sends an error response to the INVITE to the dead worker', async () => {
    const process = memoryProcess();
    const state = await ringing();
    void takeOver(process, { ...state, leg: { ...state.leg, hop: { via: 'edge' } } });
    await settle();
    await process.respond(process.last('CANCEL'), 200);
    expect(process.events).toContainEqual(expect.objectContaining({ type: 'ended', cause: 'lost' }));
  });

  it('is complete when the far end does not know the leg', async () => {
    const process = memoryProcess();
    void takeOver(process, await ringing());
    await settle();
    await process.respond(process.last('CANCEL'), 481);
    expect(process.events).toContainEqual(expect.objectContaining({ type: 'ended', cause: 'lost' }));
  });
});

describe('a NOTIFY about a cold transfer [sip.14] [sip.15]', () => {
  const report = (process: MemoryProcess, cseq: number, invite: string): Promise<void> =>
    process.request('NOTIFY', cseq, invite, {
      headers: ['Event: refer', 'Subscription-State: terminated'],
      type: 'message/sipfrag',
      body: 'SIP/2.0 200 OK',
    });
  const referred = async () => {
    const process = memoryProcess();
    const call = await answered(process);
    await process.transfer({
      ...{ reference: CALL, transferId: 'one', destination: '+12025550188', type: 'cold' },
    });
    await settle();
    await process.respond(process.last('REFER'), REFER_ACCEPTED);
    return { process, ...call };
  };

  it('gets 500 with Retry-After from a worker that has handed the call over', async () => {
    const { process, leg, invite } = await referred();
    leg.body.release();
    process.here.transfers.get(CALL)?.release();
    await report(process, 1, invite);
    const refused = process.sentOf('SIP/2.0 500').at(-1) ?? '';
    expect([headerOf(refused, 'CSeq'), headerOf(refused, 'Retry-After')]).toEqual(['1 NOTIFY', '2']);
  });

  it('counts in the next worker even before its re-INVITE is answered', async () => {
    const { process: dead } = await referred();
    const state = dead.states.get(CALL);
    expect(state?.isReferred).toBe(true);
    const process = memoryProcess();
    if (state) void takeOver(process, state);
    await settle();
    await report(process, 7, process.last('INVITE'));
    expect(process.events).toContainEqual(expect.objectContaining({ type: 'ended', cause: 'transferred' }));
    expect(process.sentOf('BYE ')).toHaveLength(1);
  });

  it('gets 481 after the end of the call', async () => {
    const { process, invite } = await referred();
    await process.request('BYE', 1, invite);
    await report(process, 2, invite);
    expect(headerOf(process.sentOf('SIP/2.0 481').at(-1) ?? '', 'CSeq')).toBe('2 NOTIFY');
  });
});

describe('the CSeq numbers of INFO [sip.9]', () => {
  it('are never used again by the next worker, even after hundreds of keys [sip.14]', async () => {
    const dead = memoryProcess();
    const { leg } = await answered(dead);
    for (let n = 0; n < 250; n += 1) {
      void leg.body.dialog()?.info('5');
      await settle();
      await dead.respond(dead.last('INFO'), 200);
    }
    const state = dead.states.get(CALL);
    const process = memoryProcess();
    if (state) void takeOver(process, state);
    await settle();
    const numberOf = (text: string): number => Number.parseInt(headerOf(text, 'CSeq'), 10);
    expect(numberOf(process.last('INVITE'))).toBeGreaterThan(numberOf(dead.last('INFO')));
  });
});
