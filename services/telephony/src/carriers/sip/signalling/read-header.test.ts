import { describe, expect, it } from '@jest/globals';
import { IncomingRequestMessage } from 'sip.js/lib/core/index.js';
import { parseMessage } from './parse.ts';
import { readHeader } from './read-header.ts';

const message = (...headers: string[]): string =>
  [
    'OPTIONS sip:parley.example SIP/2.0',
    'Via: SIP/2.0/TCP 192.0.2.1;branch=z9hG4bK1',
    'From: <sip:a@example.com>;tag=1',
    'To: <sip:b@example.com>',
    'CSeq: 1 OPTIONS',
    ...headers,
    '',
    'Call-ID: of-the-body',
  ].join('\r\n');
const callIdOf = (text: string): string | undefined => readHeader(text, ['call-id', 'i']);

describe('a header of a message that is not parsed', () => {
  it.each([
    ['in one line', 'Call-ID: one'],
    ['in its compact form', 'i:one'],
    ['in any case, with white space around the colon', 'cAlL-iD \t :\t one \t'],
    ['folded before its value', 'Call-ID:\r\n one'],
    ['folded several times', 'Call-ID :\r\n\t\r\n  one\r\n '],
    ['folded by other white space, which the parser takes too', 'Call-ID:\r\n\u00a0one'],
  ])('is read %s, as the parser reads it', (_, header) => {
    const text = message('Subject: a\r\n Call-ID: folded, and not a header', header);
    expect(callIdOf(text)).toBe('one');
    const parsed = parseMessage(text);
    expect(parsed).toBeInstanceOf(IncomingRequestMessage);
    expect(parsed).toMatchObject({ callId: 'one' });
  });

  it('is none of the body, nor of another header', () => {
    expect(callIdOf(message())).toBeUndefined();
    expect(callIdOf(message('X-Call-ID: one', 'Call-ID'))).toBeUndefined();
    expect(callIdOf('Call-ID: one')).toBeUndefined();
    expect(callIdOf('')).toBeUndefined();
  });

  it('takes linear time, whatever is sent', () => {
    const size = 60_000;
    const hostile = [
      message(`Call-ID${' '.repeat(size)}`),
      message(`Call-ID:${'\r\n '.repeat(size / 3)}`),
      message(...Array.from({ length: size / 3 }, () => 'i')),
      message(...Array.from({ length: size / 3 }, () => ':')),
      `INVITE${'\r\n\t'.repeat(size / 3)}`,
      'i\r\n'.repeat(size / 3),
    ];
    const beganMs = performance.now();
    for (const text of hostile) callIdOf(text);
    expect(performance.now() - beganMs).toBeLessThan(500);
  });
});
