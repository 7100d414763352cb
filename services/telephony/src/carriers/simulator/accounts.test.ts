import { describe, expect, it } from '@jest/globals';
import { simulatedAccounts } from './accounts.ts';

const check = (accountSid: string, authToken: string) =>
  simulatedAccounts.checkAccount({ accountSid, authToken, phoneNumber: '+14155550100' });

describe('simulatedAccounts (D5.2)', () => {
  const sid = `AC${'0123456789abcdef'.repeat(2)}`;

  it('takes any account of AC and 32 hex digits with any token', async () => {
    expect(await check(sid, 'secret')).toBe('accepted');
    expect(await check(sid.toUpperCase(), '1'.repeat(32))).toBe('accepted');
  });

  it.each(['AC123', `XX${'0'.repeat(32)}`, `AC${'g'.repeat(32)}`, `${sid}0`])('refuses %s', async (other) => {
    expect(await check(other, 'secret')).toBe('refused');
  });

  it('refuses a token of 32 zeros', async () => {
    expect(await check(sid, '0'.repeat(32))).toBe('refused');
  });

  it('does not answer to a token of 32 f', async () => {
    expect(await check(sid, 'f'.repeat(32))).toBe('unreachable');
  });
});
