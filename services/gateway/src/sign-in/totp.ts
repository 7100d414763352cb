import { randomInt } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';

// RFC 6238 as authenticator apps implement it: SHA-1, six digits, 30 seconds, in real time.
const PERIOD_SECONDS = 30;
const SECRET_BYTES = 20;
/** Accepted steps before and after the current one, for clocks that differ. */
const WINDOW = 1;
/** Without characters that look alike; ten of them have 50 bits. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
const RECOVERY_CODES = 10;
const RECOVERY_CHARACTERS = 10;

const totpOf = (secret: string, email = ''): TOTP =>
  new TOTP({
    issuer: 'Parley',
    label: email,
    digits: 6,
    period: PERIOD_SECONDS,
    secret: Secret.fromBase32(secret),
  });

export function newTotpSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32;
}

/** The content of the QR code. */
export function otpauthUri(secret: string, email: string): string {
  return totpOf(secret, email).toString();
}

/** The 30-second step of a code; undefined: it is wrong. */
export function stepOfCode(secret: string, code: string, now: Date): number | undefined {
  // otpauth throws for multi-byte characters.
  if (!/^[0-9]{6}$/.test(code)) return undefined;
  const timestamp = now.getTime();
  const delta = totpOf(secret).validate({ token: code, timestamp, window: WINDOW });
  return delta === null ? undefined : TOTP.counter({ period: PERIOD_SECONDS, timestamp }) + delta;
}

export function newRecoveryCodes(): string[] {
  const character = (): string => ALPHABET[randomInt(ALPHABET.length)] ?? '';
  const half = (): string => Array.from({ length: RECOVERY_CHARACTERS / 2 }, character).join('');
  return Array.from({ length: RECOVERY_CODES }, () => `${half()}-${half()}`);
}

/** Ignores case and separators. */
export function normalizeRecoveryCode(code: string): string {
  return code.toLowerCase().replace(/[^a-z0-9]/g, '');
}
