import { describe, expect, it } from '@jest/globals';
import { Secret, TOTP } from 'otpauth';
import { newRecoveryCodes, newTotpSecret, normalizeRecoveryCode, otpauthUri, stepOfCode } from './totp.ts';

describe('codes of an authenticator app', () => {
  // RFC 6238, appendix B: SHA-1, of which six digits are shown.
  const secret = Secret.fromUTF8('12345678901234567890').base32;

  it.each([
    [59, '287082', 1],
    [1_111_111_109, '081804', 37_037_036],
    [2_000_000_000, '279037', 66_666_666],
  ])('at %i seconds it is %s', (seconds, code, step) => {
    expect(stepOfCode(secret, code, new Date(seconds * 1_000))).toBe(step);
  });

  it('accepts one step before and after, none beyond, and nothing else', () => {
    const at = (step: number) => new Date(step * 30_000 + 10_000);
    for (const [step, found] of [
      [37_037_035, true],
      [37_037_037, true],
      [37_037_034, false],
      [37_037_038, false],
    ] as const)
      expect(stepOfCode(secret, '081804', at(step))).toBe(found ? 37_037_036 : undefined);
    for (const code of ['', '81804', '0818040', 'abcdef', '０８１８０４'])
      expect(stepOfCode(secret, code, at(37_037_036))).toBeUndefined();
  });

  it('the URI is readable by authenticator apps', () => {
    const made = newTotpSecret();
    const uri = otpauthUri(made, 'ada@example.org');
    expect(uri).toMatch(/^otpauth:\/\/totp\/Parley:ada%40example\.org\?/);
    expect(new URL(uri).searchParams.get('secret')).toBe(made);
    expect(Secret.fromBase32(made).bytes).toHaveLength(20);
    expect(stepOfCode(made, new TOTP({ secret: made }).generate(), new Date())).toBeDefined();
  });
});

it('recovery codes are ten different ones, accepted however they are typed', () => {
  const codes = newRecoveryCodes();
  expect(new Set(codes).size).toBe(10);
  for (const code of codes) {
    expect(code).toMatch(/^[a-z2-9]{5}-[a-z2-9]{5}$/);
    expect(normalizeRecoveryCode(` ${code.toUpperCase().replace('-', ' ')}`)).toBe(code.replace('-', ''));
  }
});
