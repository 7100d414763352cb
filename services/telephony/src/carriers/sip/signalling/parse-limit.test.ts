import { describe, expect, it } from '@jest/globals';
import { createParseLimit, type ParseLimit } from './parse-limit.ts';

const allowing = (isOfCall: (callId: string) => boolean, nowMs?: () => number) => {
  const { judge } = createParseLimit(isOfCall, nowMs);
  return { judge, allows: (...given: Parameters<ParseLimit['judge']>) => judge(...given) === 'parse' };
};

const NUMBER = '12025550100';

const message = (method: string, callId = 'other', number = NUMBER): string =>
  `${method} sip:${number}@127.0.0.1 SIP/2.0\r\nVia: SIP/2.0/TCP 192.0.2.1\r\nCall-ID: ${callId}\r\n\r\n`;

describe('messages of unknown sources [sip.12]', () => {
  it('are parsed if they begin or cancel a call, or belong to one', () => {
    const { allows } = allowing((callId) => callId === 'ours');
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
    const { allows } = allowing(
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

  it('are limited for each /64 of IPv6, which one host has as a whole', () => {
    const { allows } = allowing(
      () => false,
      () => 0,
    );
    const read = (network: string): number =>
      Array.from({ length: 100 }, (_, n) => allows(`${network}::${n}`, message('INVITE'))).filter(Boolean)
        .length;
    expect([read('2001:db8:0:0'), read('2001:db8:0:1')]).toEqual([40, 40]);
  });
});

describe('messages of known sources that belong to no call [sip.18]', () => {
  const within = (method: string): string =>
    `${method} sip:100@127.0.0.1 SIP/2.0\r\nTo: <sip:a>;tag=1\r\nCall-ID: other\r\n\r\n`;
  const limit = () =>
    allowing(
      (callId) => callId === 'ours',
      () => 0,
    );

  it('are limited for each trunk, except those of calls', () => {
    const { allows } = limit();
    const read = (source: string, callId?: string): number =>
      Array.from({ length: 1_000 }, (_, n) =>
        allows(source, message('INVITE', callId, `${12025550000 + n}`), 'known'),
      ).filter(Boolean).length;
    expect([read('192.0.2.1'), read('192.0.2.2'), read('192.0.2.1', 'ours')]).toEqual([400, 400, 1_000]);
  });

  it('are limited for each called number, so that a flood to one leaves the rest to others', () => {
    const { judge } = limit();
    const verdicts = (times: number, number: string): string[] =>
      Array.from({ length: times }, () => judge('192.0.2.1', message('INVITE', 'other', number), 'known'));
    const flood = verdicts(1_000, NUMBER);
    expect(flood.filter((one) => one === 'parse')).toHaveLength(180);
    expect(flood.at(-1)).toBe('drop');
    expect(verdicts(200, '12025550101').filter((one) => one === 'parse')).toHaveLength(180);
    const inTo = message('INVITE', 'other', 'trunk').replace(
      'Call-ID',
      'To: <sip:12025550102@127.0.0.1>\r\nCall-ID',
    );
    expect(judge('192.0.2.1', inTo, 'known')).toBe('parse');
  });

  it.each([
    ['parameters', (n: number) => message('INVITE').replace(' SIP/2.0', `;n=${n} SIP/2.0`)],
    [
      'display names',
      (n: number) => message('INVITE').replace('Call-ID', `To: "${n}" <sip:${n}@a>\r\nCall-ID`),
    ],
    ['users without a number', (n: number) => message('INVITE', 'other', `user-${n}`)],
  ])('are limited for a called number whatever the %s are', (_, text) => {
    const { allows } = limit();
    const parsed = Array.from({ length: 400 }, (_one, n) => allows('192.0.2.1', text(n), 'known'));
    expect(parsed.filter(Boolean)).toHaveLength(180);
  });

  it.each([
    ['a long user part', message('INVITE').replace('@', `;x=${'y'.repeat(300)}@`)],
    [
      'a long display name',
      message('INVITE', 'other', 'trunk').replace(
        'Call-ID',
        `To: "${'y'.repeat(300)}" <sip:${NUMBER}@a>\r\nCall-ID`,
      ),
    ],
  ])('count for the called number, also with %s', (_, text) => {
    const { allows } = limit();
    for (let n = 0; n < 180; n += 1) allows('192.0.2.1', message('INVITE', 'other', 'none'), 'known');
    expect(allows('192.0.2.1', text, 'known')).toBe(true);
    for (let n = 0; n < 180; n += 1) allows('192.0.2.1', message('INVITE'), 'known');
    expect(allows('192.0.2.1', text, 'known')).toBe(false);
  });

  it('do not count if they acknowledge a refusal', () => {
    const { judge } = limit();
    const acks = Array.from({ length: 1_000 }, () => judge('192.0.2.1', message('ACK'), 'known'));
    expect(new Set(acks)).toEqual(new Set(['ignore']));
    expect(judge('192.0.2.1', message('INVITE'), 'known')).toBe('parse');
    expect(judge('192.0.2.1', message('ACK', 'ours'), 'known')).toBe('parse');
  });

  it('are limited from the edge if they claim to be within a call, and its new calls are not', () => {
    const { allows } = limit();
    const read = (text: string): number =>
      Array.from({ length: 1_000 }, () => allows('127.0.0.1', text, 'edge')).filter(Boolean).length;
    expect([read(within('OPTIONS')), read(within('INVITE'))]).toEqual([400, 0]);
    expect([read(message('INVITE')), read(message('CANCEL'))]).toEqual([1_000, 1_000]);
  });
});
