import { describe, expect, it } from '@jest/globals';
import { IncomingRequestMessage } from 'sip.js/lib/core/index.js';
import { parseMessage } from './parse.ts';

const HEADERS = [
  'Via: SIP/2.0/TCP 203.0.113.9:5060;branch=z9hG4bK1',
  'From: <sip:caller@carrier.example>;tag=1',
  'To: <sip:+12025550123@parley.example>;tag=1',
  'Call-ID: 1',
  'CSeq: 1 INVITE',
];
const SOURCE = 'X-Parley-Source: 203.0.113.9:5060;transport=tls';
const invite = (headers: readonly string[], body = ''): string =>
  ['INVITE sip:+12025550123@parley.example SIP/2.0', ...HEADERS, ...headers, '', body].join('\r\n');

describe('a message that others could read differently [sip.18]', () => {
  it('has a header that a lone line feed would end: it is refused', () => {
    const smuggled = `foo\r\nTo: <sip:+12025550123@parley.example>\r\n${SOURCE}\r\n\r\n`;
    expect(parseMessage(invite(['Last: x']))).toBeInstanceOf(IncomingRequestMessage);
    for (const end of ['\n\n', '\r\n\n', '\n\r\n', '\n', '\r', '\r\r', '\n\r\n\n'])
      expect(parseMessage(`${invite(['Last: x']).slice(0, -4)}${end}${smuggled}`)).toBe('line_end');
  });

  it('may have lone line feeds in its body', () => {
    expect(parseMessage(invite(['Content-Length: 10'], 'v=0\n\ns=-\r\r'))).toMatchObject({
      body: 'v=0\n\ns=-\r\r',
    });
  });

  it.each([
    'To: <sip:+12025550123@parley.example>',
    't:<sip:+12025550123@parley.example>',
    'TO \t : <sip:+12025550123@parley.example>',
    'From: <sip:other@carrier.example>;tag=2',
    'f: <sip:other@carrier.example>;tag=2',
    'Call-ID: 2',
    'i: 2',
    'CSeq: 2 INVITE',
    'l: 0\r\nContent-Length: 1',
    'Content-Type: a/b\r\nc: a/b',
  ])('has a header twice, as %j: it is refused', (header) => {
    expect(parseMessage(invite([header]))).toBe('repeated_header');
  });

  it.each([
    'X-Parley-Source: 192.0.2.1:5060;transport=tls',
    'x-parley-source : 192.0.2.1:5060;transport=tls',
    'X-Parley-Source\u00a0: 192.0.2.1:5060;transport=tls',
    // The library takes these for the same name.
    'X_Parley_Source: 192.0.2.1:5060;transport=tls',
    'X-Parley-Source: 192.0.2.1:5060;transport=tls'.replace('S', '\u017f'),
  ])('has a source beside that of the edge, as %j: it is refused', (header) => {
    expect(parseMessage(invite([SOURCE]))).toBeInstanceOf(IncomingRequestMessage);
    expect(parseMessage(invite([header, SOURCE]))).toMatch(/^(?:repeated_header|not_a_header)$/);
  });

  it('has a line that is no header: it is refused', () => {
    expect(parseMessage(invite(['foo']))).toBe('not_a_header');
    const [start = '', ...rest] = invite([]).split('\r\n');
    expect(parseMessage([start, ' Subject: a', ...rest].join('\r\n'))).toBe('not_a_header');
  });

  it('may have folded headers, and the same other header twice', () => {
    const headers = [
      'Subject: a\r\n To: b\r\n\tCall-ID: c',
      'Via: SIP/2.0/TCP 192.0.2.1',
      'Allow: A',
      'Allow: B',
    ];
    expect(parseMessage(invite(headers))).toMatchObject({ callId: '1' });
  });
});

describe('a message that takes long to parse [sip.18]', () => {
  it('has a header of more than 16 KiB: it is refused', () => {
    const lines = (count: number): string[] => Array.from({ length: count }, () => `X: ${'a'.repeat(1_000)}`);
    expect(parseMessage(invite(lines(15)))).toBeInstanceOf(IncomingRequestMessage);
    expect(parseMessage(invite(lines(17)))).toBe('too_large');
    expect(parseMessage(invite(['Content-Length: 20000'], 'a'.repeat(20_000)))).toBeInstanceOf(
      IncomingRequestMessage,
    );
  });

  it.each(['Contact', 'm', 'Record-Route', 'Route', 'Via', 'v'])(
    'has more than 64 entries of %s: it is refused',
    (name) => {
      const entry = /^v/i.test(name) ? 'SIP/2.0/TCP a;branch=z9hG4bK1' : '<sip:a>';
      const list = (count: number): string =>
        `${name}: ${Array.from({ length: count }, () => entry).join(',')}`;
      expect(parseMessage(invite([list(30), list(30)]))).toBeInstanceOf(IncomingRequestMessage);
      expect(parseMessage(invite([list(70)]))).toBe('too_large');
      expect(parseMessage(invite(Array.from({ length: 70 }, () => list(1))))).toBe('too_large');
    },
  );
});
