import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@parley/kit/log';
import { IncomingRequestMessage } from 'sip.js/lib/core/index.js';
import type { LegDeps } from '../legs/leg-body.ts';
import type { SipConnection } from '../signalling/connection.ts';
import { parseMessage } from '../signalling/parse.ts';
import type { CalledTrunk } from './find-caller.ts';
import type { IncomingCall } from './receive-requests.ts';
import { createTakeCall, hopOf } from './take-call.ts';

const called = { trunk: { host: 'sip.carrier.example' } } as CalledTrunk;

function invite(headers: readonly string[] = []): IncomingRequestMessage {
  const message = parseMessage(
    [
      'INVITE sip:+12025550123@parley.example SIP/2.0',
      'Via: SIP/2.0/TCP 203.0.113.9:5060;branch=z9hG4bK1',
      'From: <sip:caller@carrier.example>;tag=1',
      'To: <sip:+12025550123@parley.example>',
      'Call-ID: 1',
      'CSeq: 1 INVITE',
      ...headers,
      'Content-Length: 0',
      '',
      '',
    ].join('\r\n'),
  );
  if (!(message instanceof IncomingRequestMessage)) throw new Error('not a request');
  return message;
}

function hopOfCall(transport: 'tcp' | 'tls', headers: readonly string[]) {
  const connection = { transport, remoteAddress: '203.0.113.9' } as SipConnection;
  return hopOf({ message: invite(headers), connection, called });
}

describe('where requests go for a call that came in directly', () => {
  const hop = { via: 'direct', address: '203.0.113.9', host: 'sip.carrier.example' };

  it('is the port of its Contact, and a certificate must have the name of the trunk', () => {
    const contact = 'Contact: "Ada, Inc." <sip:+1202;ext=7@192.0.2.4:5071;transport=tls>';
    expect(hopOfCall('tls', [contact])).toEqual({ ...hop, transport: 'tls', port: 5_071 });
    expect(hopOfCall('tls', ['Contact: <sip:192.0.2.4>'])).toEqual({ ...hop, transport: 'tls', port: 5_061 });
    expect(hopOfCall('tcp', ['Contact: <sip:a@[2001:db8::1]:5072>'])).toMatchObject({ port: 5_072 });
    expect(hopOfCall('tcp', [])).toMatchObject({ port: 5_060 });
  });

  it('is the port of the proxy that sent it, if there is one', () => {
    const routes = 'Record-Route: <sip:203.0.113.9:5080;transport=tcp;lr>, <sip:192.0.2.1:5090;lr>';
    expect(hopOfCall('tcp', [routes, 'Contact: <sip:a@192.0.2.4:5071>'])).toMatchObject({ port: 5_080 });
    const bare = 'Record-Route: <sip:203.0.113.9;transport=tcp;lr>, <sip:192.0.2.1:5090;lr>';
    expect(hopOfCall('tcp', [bare, 'Contact: <sip:a@192.0.2.4:5071>'])).toMatchObject({ port: 5_060 });
  });

  it('is found in linear time', () => {
    const message = { getHeader: () => 'sip:'.repeat(2_040) } as unknown as IncomingRequestMessage;
    const connection = { transport: 'tcp', remoteAddress: '203.0.113.9' } as SipConnection;
    const beganMs = performance.now();
    for (let n = 0; n < 20; n += 1) hopOf({ message, connection, called });
    expect(performance.now() - beganMs).toBeLessThan(100);
  });
});

describe('calls that are offered to a worker at the same time [trust.1]', () => {
  const NO_CAPACITY = 503;

  /** Calls that stay offered until they are let go. */
  function offers(free: number) {
    const letGo: (() => void)[] = [];
    const openFlow = (): Promise<never> =>
      new Promise((_resolve, reject) => letGo.push(() => reject(new Error('let go'))));
    const signalling = { router: { isTaken: () => false }, openFlow };
    const take = createTakeCall({
      legs: new Map(),
      legDeps: () => ({ signalling }) as unknown as LegDeps,
      listener: async () => true,
      freeCalls: () => free,
      log: createLogger({ service: 'test', level: 'silent' }),
    });
    let count = 0;
    const call = (workspaceId: string) =>
      take({
        reference: `${++count}`,
        message: invite(),
        connection: { transport: 'tcp', remoteAddress: '203.0.113.9' },
        called: { ...called, workspaceId },
      } as IncomingCall).catch(() => 'let go');
    /** The status of a call that is refused at once; otherwise it stays offered. */
    const offered = async (workspaceId: string) =>
      Promise.race([call(workspaceId), new Promise((resolve) => setImmediate(resolve, 'offered'))]);
    return { offered, letGo };
  }

  it.each([
    [100, 50],
    [20, 16],
  ])('of one workspace take a part of %i places, so that others find one', async (free, share) => {
    const { offered, letGo } = offers(free);
    for (let n = 0; n < share; n += 1) expect(await offered('many')).toBe('offered');
    expect(await offered('many')).toBe(NO_CAPACITY);
    expect(await offered('another')).toBe('offered');
    letGo[0]?.();
    await new Promise(setImmediate);
    expect(await offered('many')).toBe('offered');
    expect(await offered('many')).toBe(NO_CAPACITY);
  });

  it('are no more than the worker has places', async () => {
    const { offered } = offers(2);
    expect(await Promise.all(['a', 'b', 'c'].map(offered))).toEqual(['offered', 'offered', NO_CAPACITY]);
  });
});
