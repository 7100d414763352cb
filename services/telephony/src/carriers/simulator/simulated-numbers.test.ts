import { describe, expect, it } from '@jest/globals';
import { judge } from './simulated-numbers.ts';

const check = (accountSid: string, authToken: string) =>
  judge({ accountSid, authToken, phoneNumber: '+14155550100' });

describe('accounts of the simulated carrier [running.5]', () => {
  const sid = `AC${'0123456789abcdef'.repeat(2)}`;

  it('accepts every well-formed account, whatever its token', () => {
    expect(check(sid, 'secret')).toBe('accepted');
    expect(check(sid.toUpperCase(), '1'.repeat(32))).toBe('accepted');
  });

  it.each(['AC123', `XX${'0'.repeat(32)}`, `AC${'g'.repeat(32)}`, `${sid}0`])('refuses %s', (other) => {
    expect(check(other, 'secret')).toBe('refused');
  });

  it('refuses a token of 32 zeros', () => {
    expect(check(sid, '0'.repeat(32))).toBe('refused');
  });

  it('does not respond to a token of 32 f', () => {
    expect(check(sid, 'f'.repeat(32))).toBe('unreachable');
  });
});
