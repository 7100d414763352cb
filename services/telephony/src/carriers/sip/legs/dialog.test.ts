import { afterEach, describe, expect, it, jest } from '@jest/globals';
import {
  answered,
  CALL,
  headerOf,
  type MemoryProcess,
  memoryProcess,
  pass,
  resultOf,
  settle,
} from '../../../../tests/sip/memory-process.ts';

afterEach(() => void jest.useRealTimers());

describe('a Contact that changes with the answer [sip.6]', () => {
  const MOVED = 'sip:moved@192.0.2.7:5060;transport=tcp';

  it('receives the ACK and the BYE, not the Contact of the 180', async () => {
    const process = memoryProcess();
    const { invite } = await process.dial(CALL);
    await process.respond(invite, 180);
    await process.respond(invite, 200, { sdp: true, contact: MOVED });
    expect(process.last('ACK')).toMatch(/^ACK sip:moved@192\.0\.2\.7:5060;transport=tcp /);
    process.here.legs.get(CALL)?.hangup();
    await settle();
    expect(process.last('BYE')).toMatch(/^BYE sip:moved@192\.0\.2\.7/);
  });

  it('receives the ACK of a re-INVITE', async () => {
    const process = memoryProcess();
    const { leg } = await answered(process);
    void leg.body.dialog()?.reinvite();
    await settle();
    await process.respond(process.last('INVITE'), 200, { sdp: true, contact: MOVED });
    expect(process.last('ACK')).toMatch(/^ACK sip:moved@192\.0\.2\.7/);
  });
});

describe('our answer to a re-INVITE [sip.6]', () => {
  it('is repeated for 32 seconds without an ACK, and then the call ends', async () => {
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

  it('does not end the call once it is acknowledged', async () => {
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

describe('an UPDATE with an offer [sip.6]', () => {
  const responsesTo = (process: MemoryProcess, method: string): string[] =>
    process.sentOf('SIP/2.0 ').flatMap((text) => {
      const later = headerOf(text, 'Retry-After');
      return headerOf(text, 'CSeq').endsWith(method) ? `${text.slice(8, 11)} ${later}`.trim() : [];
    });
  const body = 'v=0\r\n';

  it('that crosses our own offer gets 491', async () => {
    const process = memoryProcess();
    const { invite } = await process.dial(CALL);
    await process.respond(invite, 180);
    await process.request('UPDATE', 1, invite, { body });
    expect(responsesTo(process, 'UPDATE')).toEqual(['491']);
  });

  it('that comes before our answer to an earlier offer gets 500 with Retry-After', async () => {
    let agree = (): void => {};
    const process = memoryProcess({
      answer: () =>
        new Promise((resolve) => {
          agree = () => resolve(body);
        }),
    });
    const { invite } = await answered(process);
    await process.request('INVITE', 1, invite, { body });
    await process.request('UPDATE', 2, invite, { body });
    expect(responsesTo(process, 'UPDATE')).toEqual(['500 2']);
    agree();
    await settle();
    expect(responsesTo(process, 'INVITE')).toEqual(['200']);
    await process.request('UPDATE', 3, invite, { body });
    agree();
    await settle();
    expect(responsesTo(process, 'UPDATE')).toEqual(['500 2', '200']);
  });

  it('that follows another UPDATE which is not answered yet is to come again', async () => {
    let agree = (): void => {};
    const process = memoryProcess({
      answer: () =>
        new Promise((resolve) => {
          agree = () => resolve(body);
        }),
    });
    const { invite } = await answered(process);
    await process.request('UPDATE', 1, invite, { body });
    await process.request('UPDATE', 2, invite, { body });
    expect(responsesTo(process, 'UPDATE')).toEqual(['500 2']);
    agree();
    await settle();
    expect(responsesTo(process, 'UPDATE')).toEqual(['500 2', '200']);
    await process.request('UPDATE', 3, invite, { body });
    agree();
    await settle();
    expect(responsesTo(process, 'UPDATE')).toEqual(['500 2', '200', '200']);
  });
});

describe('a key that we press by INFO [sip.9]', () => {
  it('has failed when the far end hangs up without a response', async () => {
    const process = memoryProcess();
    const { leg, invite } = await answered(process);
    const pressed = resultOf(leg.body.dialog()?.info('5') ?? Promise.reject(new Error('no dialog')));
    await settle();
    expect(pressed).toEqual({});
    await process.request('BYE', 1, invite);
    expect(pressed).toEqual({ value: false });
  });
});
