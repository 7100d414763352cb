import { describe, expect, it } from '@jest/globals';
import { isTransient, retryAfterMsOf } from './transient.ts';

const retryAfter = (value?: string) =>
  retryAfterMsOf({
    statusCode: 500,
    data: 'SIP/2.0 500',
    hasHeader: () => value !== undefined,
    getHeader: () => value,
  });

describe('a response within a call [sip.14]', () => {
  it('says nothing about the call if a server cannot respond at present', () => {
    for (const statusCode of [477, 478, 491, 500, 502, 503, 504])
      expect(isTransient({ statusCode, data: 'SIP/2.0' })).toBe(true);
    for (const statusCode of [403, 404, 408, 481, 488, 603])
      expect(isTransient({ statusCode, data: 'SIP/2.0' })).toBe(false);
  });

  it('says nothing about the call if the library has made it', () => {
    expect(isTransient({ statusCode: 408, data: '' })).toBe(true);
  });

  it('may name the time for the next request', () => {
    expect([retryAfter(), retryAfter('soon'), retryAfter('5 (busy)'), retryAfter('0')]).toEqual([
      ...[undefined, undefined],
      ...[5_000, 1_000],
    ]);
    expect(retryAfter('86400')).toBe(30_000);
  });
});
