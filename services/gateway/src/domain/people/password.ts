import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { createTurns } from './turns.ts';

/** OWASP's scrypt of 32 MiB at the default cost of 15: N = 2^15, r = 8, p = 3. */
const R = 8;
const P = 3;
const HASH_BYTES = 32;
const SALT_BYTES = 16;
/** Each takes its memory and a thread of the pool, which name look-ups share. */
const AT_ONCE = 2;
/** Some five seconds' worth, which is what somebody who signs in may wait. */
const WAITING = 64;

export type Passwords = {
  hash(password: string): Promise<string>;
  /** Without a stored hash it takes as long, and is wrong. */
  verify(password: string, stored: string | undefined): Promise<boolean>;
  /** It was made at another cost than hashes are now. */
  isOutdated(stored: string): boolean;
};

/** Passwords as `scrypt$<cost>$<salt>$<hash>`; `cost` is the exponent of N. */
export function createPasswords(cost: number): Passwords {
  const inTurn = createTurns({ atOnce: AT_ONCE, waiting: WAITING });
  const nobodys = `scrypt$${cost}$${randomBytes(SALT_BYTES).toString('base64url')}$${'A'.repeat(43)}`;

  return {
    hash: async (password) => {
      const salt = randomBytes(SALT_BYTES);
      const hash = await inTurn(() => derive(password, salt, cost));
      return `scrypt$${cost}$${salt.toString('base64url')}$${hash.toString('base64url')}`;
    },
    verify: async (password, stored) => {
      const [, exponent, salt = '', hash = ''] = (stored ?? nobodys).split('$');
      const derived = await inTurn(() => derive(password, Buffer.from(salt, 'base64url'), Number(exponent)));
      const expected = Buffer.from(hash, 'base64url');
      return stored !== undefined && expected.length === HASH_BYTES && timingSafeEqual(derived, expected);
    },
    isOutdated: (stored) => Number(stored.split('$')[1]) !== cost,
  };
}

/** However a keyboard composes its characters (NFKC), the password is the same. */
function derive(password: string, salt: Buffer, cost: number): Promise<Buffer> {
  const N = 2 ** cost;
  const options: ScryptOptions = { N, r: R, p: P, maxmem: 256 * N * R };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, HASH_BYTES, options, (err, key) =>
      err ? reject(err) : resolve(key),
    );
  });
}
