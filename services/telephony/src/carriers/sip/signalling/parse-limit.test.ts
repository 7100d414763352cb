import { describe, expect, it } from '@jest/globals';
import { createParseLimit } from './parse-limit.ts';

const message = (method: string, callId = 'other'): string =>
  `${method} sip:100@127.0.0.1 SIP/2.0\r\nVia: SIP/2.0/TCP 192.0.2.1\r\nCall-ID: ${callId}\r\n\r\n`;

describe('messages of unknown sources [sip.12]', () => {
  it('are parsed if they begin or cancel a call, or belong to one', () => {
    const { allows } = createParseLimit((callId) => callId === 'ours');
    for (const method of ['REGISTER', 'OPTIONS', 'SUBSCRIBE', 'BYE', 'ACK', 'INFO']) {
      expect(allows('192.0.2.1', message(method))).toBe(false);
      expect(allows('192.0.2.1', message(method, 'ours'))).toBe(true);
    }
    expect(allows('192.0.2.1', 'SIP/2.0 200 OK\r\ni: ours\r\n\r\n')).toBe(true);
    expect(allows('192.0.2.1', 'SIP/2.0 200 OK\r\nCall-ID: other\r\n\r\n')).toBe(false);
    expect(allows('192.0.2.1', 'SIP/2.0 200 OK\r\nCall-ID \t:\r\n\tours \r\n\r\n')).toBe(true);
    expect(allows('192.0.2.1', 'SIP/2.0 200 OK\r\nSubject: a\r\n Call-ID: ours\r\n\r\n')).toBe(false);
    expect(allows('192.0.2.1', message('INVITE'))).toBe(true);
    expect(allows('192.0.2.1', message('CANCEL'))).toBe(true);
  });

  it('are limited for each source and for all together, except those of calls', () => {
    let nowMs = 0;
    const { allows } = createParseLimit(
      (callId) => callId === 'ours',
      () => nowMs,
    );
    const read = (source: string, times: number, callId?: string): number =>
      Array.from({ length: times }, () => allows(source, message('INVITE', callId))).filter(Boolean).length;
    expect(read('192.0.2.1', 1_000)).toBe(40);
    const others = Array.from({ length: 100 }, (_, n) => read(`198.51.100.${n}`, 100));
    expect(others.reduce((sum, count) => sum + count, 0)).toBe(260);
    expect(read('192.0.2.1', 1_000, 'ours')).toBe(1_000);
    nowMs += 1_000;
    expect(read('192.0.2.1', 1_000)).toBe(10);
  });
});
