import { describe, expect, it } from '@jest/globals';
import { maskMessage } from './trace.ts';

const info = (...type: string[]): string =>
  ['INFO sip:a SIP/2.0', 'CSeq: 1 INFO', ...type, 'Content-Length: 1', '', '5'].join('\r\n');

describe('a traced message with folded headers [sip.19]', () => {
  it.each([
    ['Content-Type: application/dtmf'],
    ['c:application/dtmf'],
    ['Content-Type:', '\tapplication/dtmf'],
    ['Content-Type \t:', ' ', '  application/dtmf'],
  ])('contains no key: %j', (...type) => {
    expect(maskMessage(info(...type))).toMatch(/\r\n\r\n\*+$/);
  });

  it.each([
    'Authorization: Digest username="a", response="hush"',
    'Authorization:\r\n Digest username="a",\r\n\tresponse="hush"',
    'Proxy-Authorization: Digest username="a",\r\n\u00a0response="hush"',
  ])('contains no digest: %j', (header) => {
    const masked = maskMessage(`BYE sip:a SIP/2.0\r\n${header}\r\n\r\n`);
    expect(masked).toContain('username="a"');
    expect(masked).not.toContain('hush');
  });
});

describe('a traced message with passwords in URIs [sip.19]', () => {
  it.each([
    'sip:ada:hush@a',
    '<sips:ada:hush@a>',
    '"Ada" <sip:ada:hush:hush@a>',
    `sip:ada:${'hush'.repeat(100)}@a`,
  ])('contains none: %j', (uri) => {
    const masked = maskMessage(`BYE sip:a SIP/2.0\r\nX: ${uri}\r\n\r\n`);
    expect(masked).toMatch(/ada:\*{8}@a/);
    expect(masked).not.toContain('hush');
  });

  it('is masked in linear time', () => {
    const beganMs = performance.now();
    for (let n = 0; n < 10; n += 1) maskMessage(`BYE sip:a SIP/2.0\r\nX: ${'sip:a:'.repeat(1_350)}\r\n\r\n`);
    expect(performance.now() - beganMs).toBeLessThan(150);
  });
});
