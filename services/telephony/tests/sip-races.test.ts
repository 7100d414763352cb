import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { IncomingRequestMessage } from 'sip.js/lib/core/index.js';
import { continueCall } from '../src/carriers/sip/legs/continue-call.ts';
import { takeLeg } from '../src/carriers/sip/legs/inbound-leg.ts';
import type { LegState } from '../src/carriers/sip/legs/leg-state.ts';
import { parseMessage } from '../src/carriers/sip/signalling/parse.ts';
import { headerOf, type MemoryProcess, memoryProcess, settle } from './sip/memory-process.ts';

const CALL = '6d5cf0b2-6d43-4d65-8f43-54a8f7ab3a01';
const REFER_ACCEPTED = 202;

afterEach(() => void jest.useRealTimers());

/** What happens at once, and what is due then. */
const pass = async (ms: number): Promise<void> => {
  jest.advanceTimersByTime(ms);
  await settle();
};

/** Whether a promise has resolved, and with what. */
const resultOf = <T>(promise: Promise<T>): { value?: T } => {
  const result: { value?: T } = {};
  void promise.then((value) => {
    result.value = value;
  });
  return result;
};

async function answered(process: MemoryProcess) {
  const { leg, invite } = await process.dial(CALL);
  await process.respond(invite, 200, { sdp: true });
  expect(process.sentOf('ACK ')).toHaveLength(1);
  return { leg, invite };
}

describe('a leg that is cancelled [sip.3] [sip.16]', () => {
  it('is gone once the far end has refused the INVITE', async () => {
    const process = memoryProcess();
    const { leg, invite } = await process.dial(CALL, true);
    await process.respond(invite, 180);
    leg.hangup();
    const gone = resultOf(leg.body.gone());
    await settle();
    await process.respond(process.last('CANCEL'), 200);
    expect(gone).toEqual({});
    await process.respond(invite, 487);
    expect(gone).toEqual({ value: true });
  });

  it('is not gone at the limit of the CANCEL: the far end may still ring, or answer', async () => {
    jest.useFakeTimers();
    const process = memoryProcess();
    const { leg, invite } = await process.dial(CALL, true);
    leg.hangup();
    const gone = resultOf(leg.body.gone());
    await pass(4_500);
    expect(process.events).toContainEqual(expect.objectContaining({ type: 'ended', cause: 'local' }));
    expect(gone).toEqual({});
    await process.respond(invite, 200, { sdp: true });
    expect(process.states.get(CALL)?.leg).toMatchObject({
      phase: 'established',
      dialog: { remoteTag: 'far' },
    });
    expect(gone).toEqual({});
    await process.respond(process.last('BYE'), 200);
    expect(gone).toEqual({ value: true });
  });

  it('is not known to be gone if its far end never responds', async () => {
    jest.useFakeTimers();
    const process = memoryProcess();
    const { leg, invite } = await process.dial(CALL, true);
    await process.respond(invite, 180);
    leg.hangup();
    const gone = resultOf(leg.body.gone());
    await pass(30_000);
    expect(gone).toEqual({});
    await pass(10_000);
    expect(gone).toEqual({ value: false });
  });

  it('and whose answer crosses that is gone once the BYE has a response, and is stored as answered until then', async () => {
    const process = memoryProcess();
    const { leg, invite } = await process.dial(CALL, true);
    await process.respond(invite, 180);
    leg.hangup();
    const gone = resultOf(leg.body.gone());
    await process.respond(invite, 200, { sdp: true });
    expect(process.sentOf('BYE ')).toHaveLength(1);
    expect(gone).toEqual({});
    expect(process.states.get(CALL)?.leg.phase).toBe('established');
    expect(process.events.map(({ type }) => type)).not.toContain('answered');
    // Also by a response that makes no sense.
    await process.respond(process.last('BYE'), 302);
    expect(gone).toEqual({ value: true });
  });

  it('while another server is being connected to ends as hung up, not as a failure of the trunk', async () => {
    const process = memoryProcess();
    process.routes.ways = [...process.routes.ways, ...process.routes.ways];
    const { leg, invite } = await process.dial(CALL);
    let refuse = (): void => {};
    process.network.connect = () =>
      new Promise((_, reject) => {
        refuse = () => reject(new Error('refused'));
      });
    await process.respond(invite, 503);
    leg.hangup();
    refuse();
    await settle();
    expect(process.events).toContainEqual(expect.objectContaining({ type: 'ended', cause: 'local' }));
  });
});

describe('the target of a transfer that is hung up [sip.16]', () => {
  it('stays stored until its BYE has a response, also beside the target of another transfer', async () => {
    const process = memoryProcess();
    await answered(process);
    const begin = (transferId: string): Promise<void> =>
      process.transfer({
        ...{ reference: CALL, transferId, destination: '+12025550188', type: 'warm' },
        consult: async () => true,
      });
    await begin('one');
    await settle();
    const invite = process.last('INVITE');
    expect(headerOf(invite, 'Call-ID')).toBe(`${CALL}-one`);
    await process.respond(invite, 180);
    expect(process.states.get(CALL)?.bridged).toMatchObject({ phase: 'inviting' });
    // It answers while the transfer is given up for another one.
    await begin('two');
    await settle();
    await process.respond(invite, 200, { sdp: true });
    expect(headerOf(process.last('BYE'), 'Call-ID')).toBe(`${CALL}-one`);
    expect(process.states.get(CALL)).toMatchObject({
      bridged: { phase: 'inviting', cancel: expect.stringContaining(`${CALL}-two`) },
      left: [{ phase: 'established', dialog: { callId: `${CALL}-one` } }],
    });
    await process.respond(process.last('BYE'), 200);
    expect(process.states.get(CALL)).toMatchObject({ bridged: { phase: 'inviting' }, left: [] });
  });

  it('stays stored when the party has hung up, and the call ends after it', async () => {
    const process = memoryProcess();
    const { invite: partyInvite } = await answered(process);
    await process.transfer({
      ...{ reference: CALL, transferId: 'one', destination: '+12025550188', type: 'warm' },
      consult: async () => true,
    });
    await settle();
    const invite = process.last('INVITE');
    await process.respond(invite, 180);
    await process.request('BYE', 1, partyInvite);
    await process.respond(invite, 200, { sdp: true });
    expect(process.states.get(CALL)?.bridged).toMatchObject({ phase: 'established' });
    expect(process.events.map(({ type }) => type)).not.toContain('ended');
    await process.respond(process.last('BYE'), 200);
    expect(process.events).toContainEqual(expect.objectContaining({ type: 'ended', cause: 'remote' }));
  });
});

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

describe('a call with a target that is taken over [sip.14]', () => {
  it.each(['ringing', 'answered', 'bridged'] as const)(
    'leaves no target behind that was %s if its party hangs up while it is asked for its audio',
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
      expect(process.events).toContainEqual(expect.objectContaining({ type: 'ended', cause: 'remote' }));
      expect(taking).toEqual({ value: true });
    },
  );

  it('ends after the target that is being hung up, which stays stored until then', async () => {
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

  it('hangs up a target that was bridged, if the party hangs up while the target is asked for its audio', async () => {
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
    expect(process.events).toContainEqual(expect.objectContaining({ type: 'ended', cause: 'remote' }));
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

  it('sends nothing to its target if it moves on while its party is asked', async () => {
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

describe('a ringing leg of another worker that is cancelled [sip.14]', () => {
  const ringing = async (): Promise<LegState> => {
    const dead = memoryProcess();
    const { invite } = await dead.dial(CALL);
    await dead.respond(invite, 180);
    const state = dead.states.get(CALL);
    if (!state) throw new Error('Nothing is stored');
    return state;
  };

  it('and answers all the same is hung up once, and each answer is acknowledged', async () => {
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

  it('has ended if its far end does not know it', async () => {
    const process = memoryProcess();
    const taking = takeOver(process, await ringing());
    await settle();
    await process.respond(process.last('CANCEL'), 481);
    await taking;
    await settle();
    expect(process.events).toContainEqual(expect.objectContaining({ type: 'ended', cause: 'lost' }));
  });
});

describe('a caller that gives up while it is answered [sip.3]', () => {
  const request = (method: string): string =>
    [
      `${method} sip:+12025550123@127.0.0.1:5060;transport=tcp SIP/2.0`,
      'Via: SIP/2.0/TCP 192.0.2.1:5060;branch=z9hG4bK1',
      'From: <sip:+12025550177@192.0.2.1>;tag=caller',
      'To: <sip:+12025550123@127.0.0.1>',
      'Call-ID: inbound',
      `CSeq: 1 ${method}`,
      'Contact: <sip:caller@192.0.2.1:5060;transport=tcp>',
      'Max-Forwards: 70',
      ...(method === 'INVITE' ? ['Content-Type: application/sdp', 'Content-Length: 5', '', 'v=0\r\n'] : []),
      ...(method === 'INVITE' ? [] : ['Content-Length: 0', '', '']),
    ].join('\r\n');

  it('gets 487, and its call is not answered', async () => {
    let agree = (): void => {};
    const process = memoryProcess({
      answer: () =>
        new Promise((resolve) => {
          agree = () => resolve('v=0\r\n');
        }),
    });
    const { connection, here } = process;
    const message = parseMessage(request('INVITE'));
    if (!(message instanceof IncomingRequestMessage)) throw new Error('not a request');
    process.watch(CALL);
    const leg = await takeLeg(here.legDeps(CALL), {
      ...{ callId: CALL, legId: 'leg', message, connection, isSecure: false, credentials: null },
      flow: await here.signalling.openFlow({ via: 'edge' }, CALL, connection),
      source: '192.0.2.1',
    });
    leg?.ring();
    const answering = leg?.answer();
    await process.receive(request('CANCEL'));
    agree();
    await answering;
    await settle();
    const responses = process
      .sentOf('SIP/2.0 ')
      .map((text) => `${text.slice(8, 11)} ${headerOf(text, 'CSeq')}`);
    expect(responses).toEqual(['100 1 INVITE', '180 1 INVITE', '200 1 CANCEL', '487 1 INVITE']);
    expect(process.events.map(({ type }) => type)).toEqual(['ended']);
  });
});

describe('an address of the far end that changes with its answer [sip.6]', () => {
  const MOVED = 'sip:moved@192.0.2.7:5060;transport=tcp';

  it('is where the first answer is acknowledged, whatever the ringing said', async () => {
    const process = memoryProcess();
    const { invite } = await process.dial(CALL);
    await process.respond(invite, 180);
    await process.respond(invite, 200, { sdp: true, contact: MOVED });
    expect(process.last('ACK')).toMatch(/^ACK sip:moved@192\.0\.2\.7:5060;transport=tcp /);
    process.here.legs.get(CALL)?.hangup();
    await settle();
    expect(process.last('BYE')).toMatch(/^BYE sip:moved@192\.0\.2\.7/);
  });

  it('is where the answer to a re-INVITE is acknowledged', async () => {
    const process = memoryProcess();
    const { leg } = await answered(process);
    void leg.body.dialog()?.reinvite();
    await settle();
    await process.respond(process.last('INVITE'), 200, { sdp: true, contact: MOVED });
    expect(process.last('ACK')).toMatch(/^ACK sip:moved@192\.0\.2\.7/);
  });
});

describe('an answer to a re-INVITE of the far end [sip.6]', () => {
  it('that is never acknowledged ends the call, after it was repeated for 32 seconds', async () => {
    jest.useFakeTimers();
    const process = memoryProcess();
    const { invite } = await answered(process);
    await process.request('INVITE', 1, invite, { body: 'v=0\r\n' });
    for (let n = 0; n < 60; n += 1) await pass(500);
    expect(process.sentOf('SIP/2.0 200').length).toBeGreaterThan(5);
    expect(process.events.map(({ type }) => type)).not.toContain('ended');
    for (let n = 0; n < 6; n += 1) await pass(500);
    expect(process.sentOf('BYE ')).toHaveLength(1);
    const text = 'The far end did not acknowledge the answer';
    expect(process.events).toContainEqual(
      expect.objectContaining({ type: 'ended', cause: 'lost', provider: { code: null, text } }),
    );
  });

  it('that is acknowledged leaves the call as it is', async () => {
    jest.useFakeTimers();
    const process = memoryProcess();
    const { invite } = await answered(process);
    await process.request('INVITE', 1, invite, { body: 'v=0\r\n' });
    await process.request('ACK', 1, invite);
    for (let n = 0; n < 70; n += 1) await pass(500);
    expect(process.sentOf('BYE ')).toEqual([]);
    expect(process.events.map(({ type }) => type)).not.toContain('ended');
  });
});

describe('a report on a cold transfer [sip.14] [sip.15]', () => {
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

  it('that comes to a worker that has handed the call over is asked for again', async () => {
    const { process, leg, invite } = await referred();
    leg.body.release();
    process.here.transfers.get(CALL)?.release();
    await report(process, 1, invite);
    const refused = process.sentOf('SIP/2.0 500').at(-1) ?? '';
    expect([headerOf(refused, 'CSeq'), headerOf(refused, 'Retry-After')]).toEqual(['1 NOTIFY', '2']);
  });

  it('counts in the next worker before the far end has agreed to its audio', async () => {
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

  it('that comes after the call is over gets 481', async () => {
    const { process, invite } = await referred();
    await process.request('BYE', 1, invite);
    await report(process, 2, invite);
    expect(headerOf(process.sentOf('SIP/2.0 481').at(-1) ?? '', 'CSeq')).toBe('2 NOTIFY');
  });
});

describe('a key by INFO [sip.9]', () => {
  it('has failed once the far end has hung up, whether or not it responds', async () => {
    const process = memoryProcess();
    const { leg, invite } = await answered(process);
    const pressed = resultOf(leg.body.dialog()?.info('5') ?? Promise.reject(new Error('no dialog')));
    await settle();
    expect(pressed).toEqual({});
    await process.request('BYE', 1, invite);
    expect(pressed).toEqual({ value: false });
  });
});
