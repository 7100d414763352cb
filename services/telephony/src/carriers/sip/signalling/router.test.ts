import { describe, expect, it } from '@jest/globals';
import type { SipConnection } from './connection.ts';
import { createRouter } from './router.ts';

const connection = { transport: 'tcp', remoteAddress: '203.0.113.9' } as SipConnection;
const info = (n: number): string =>
  [
    'INFO sip:call@parley.example SIP/2.0',
    `Via: SIP/2.0/TCP 203.0.113.9:5060;branch=z9hG4bK${n}`,
    'From: <sip:caller@carrier.example>;tag=1',
    'To: <sip:+12025550123@parley.example>;tag=2',
    'Call-ID: 1',
    `CSeq: ${n} INFO`,
    'Content-Length: 0',
    '',
    '',
  ].join('\r\n');

describe('the messages of one call [sip.18]', () => {
  it('are looked at a hundred times at once; more are dropped, and not traced', () => {
    const received: unknown[] = [];
    const traced: unknown[] = [];
    const rejected: unknown[] = [];
    const router = createRouter({
      trace: (message) => void traced.push(message),
      clock: { now: () => new Date(0) },
      onRequest: () => {},
      onDropped: (_, reason) => void rejected.push(reason),
      onFailure: (error) => {
        throw error;
      },
    });
    router.register('1', { callId: 'call', receive: (message) => void received.push(message) });
    for (let n = 1; n <= 300; n += 1) router.receive(connection, info(n));
    expect(received.length).toBeGreaterThanOrEqual(100);
    expect(received.length).toBeLessThan(300);
    expect(traced).toHaveLength(received.length);
    expect(rejected).toEqual(Array(300 - received.length).fill('rate'));
  });

  it('count before they are parsed: malformed ones as well', () => {
    const received: unknown[] = [];
    const router = createRouter({
      trace: () => {},
      clock: { now: () => new Date(0) },
      onRequest: () => {},
      onDropped: () => {},
      onFailure: (error) => {
        throw error;
      },
    });
    router.register('1', { callId: 'call', receive: (message) => void received.push(message) });
    for (let n = 1; n <= 5_000; n += 1) router.receive(connection, info(n).replace('From: <', 'From: <<<'));
    for (let n = 1; n <= 5; n += 1) router.receive(connection, info(n));
    expect(received.length).toBeLessThan(5);
  });
});
