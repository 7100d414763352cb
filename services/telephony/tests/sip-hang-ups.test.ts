import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { IncomingRequestMessage } from 'sip.js/lib/core/index.js';
import { takeLeg } from '../src/carriers/sip/legs/inbound-leg.ts';
import { parseMessage } from '../src/carriers/sip/signalling/parse.ts';
import {
  answered,
  CALL,
  headerOf,
  type MemoryProcess,
  memoryProcess,
  pass,
  resultOf,
  settle,
} from './sip/memory-process.ts';

afterEach(() => void jest.useRealTimers());

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

/** A warm transfer whose target rings; its INVITE. */
async function begin(process: MemoryProcess, transferId: string): Promise<string> {
  await process.transfer({
    ...{ reference: CALL, transferId, destination: '+12025550188', type: 'warm' },
    consult: async () => true,
  });
  await settle();
  const invite = process.last('INVITE');
  await process.respond(invite, 180);
  return invite;
}

describe('the target of a transfer that is hung up [sip.16]', () => {
  it('stays stored until its BYE has a response, also beside the target of another transfer', async () => {
    const process = memoryProcess();
    await answered(process);
    const invite = await begin(process, 'one');
    expect(headerOf(invite, 'Call-ID')).toBe(`${CALL}-one`);
    expect(process.states.get(CALL)?.bridged).toMatchObject({ phase: 'inviting' });
    // It answers while the transfer is given up for another one.
    await begin(process, 'two');
    await process.respond(invite, 200, { sdp: true });
    expect(headerOf(process.last('BYE'), 'Call-ID')).toBe(`${CALL}-one`);
    expect(process.states.get(CALL)).toMatchObject({
      bridged: { phase: 'inviting', cancel: expect.stringContaining(`${CALL}-two`) },
      left: [{ phase: 'established', dialog: { callId: `${CALL}-one` } }],
    });
    await process.respond(process.last('BYE'), 200);
    expect(process.states.get(CALL)).toMatchObject({ bridged: { phase: 'inviting' }, left: [] });
  });

  it('is waited for by the end of the call, also after another transfer has begun', async () => {
    const process = memoryProcess();
    const { invite: partyInvite } = await answered(process);
    const [one, two] = [await begin(process, 'one'), await begin(process, 'two')];
    await process.request('BYE', 1, partyInvite);
    for (const invite of [two, one]) {
      expect(process.events.map(({ type }) => type)).not.toContain('ended');
      await process.respond(invite, 487);
    }
    expect(process.events).toContainEqual(expect.objectContaining({ type: 'ended', cause: 'remote' }));
  });

  it('stays stored when the party has hung up, and the call ends after it', async () => {
    const process = memoryProcess();
    const { invite: partyInvite } = await answered(process);
    const invite = await begin(process, 'one');
    await process.request('BYE', 1, partyInvite);
    await process.respond(invite, 200, { sdp: true });
    expect(process.states.get(CALL)?.bridged).toMatchObject({ phase: 'established' });
    expect(process.events.map(({ type }) => type)).not.toContain('ended');
    await process.respond(process.last('BYE'), 200);
    expect(process.events).toContainEqual(expect.objectContaining({ type: 'ended', cause: 'remote' }));
  });
});

describe('the target of a transfer that was hung up [sip.16]', () => {
  it('is not brought back by a save that was still waiting', async () => {
    const process = memoryProcess();
    await answered(process);
    let decline = (): void => {};
    await process.transfer({
      ...{ reference: CALL, transferId: 'one', destination: '+12025550188', type: 'warm' },
      consult: () =>
        new Promise((resolve) => {
          decline = () => resolve(false);
        }),
    });
    await settle();
    const invite = process.last('INVITE');
    await process.respond(invite, 180);
    let go = (): void => {};
    const stored = new Promise<void>((resolve) => {
      go = resolve;
    });
    process.storage.beforeSave = () => stored;
    await process.respond(invite, 200, { sdp: true });
    // Its state is to be stored once more.
    await process.request('UPDATE', 1, invite);
    decline();
    await settle();
    await process.respond(process.last('BYE'), 200);
    go();
    await settle();
    expect(process.states.get(CALL)).toMatchObject({ bridged: null, left: [] });
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
