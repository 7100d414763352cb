import { createHmac, randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { createCache } from '@parley/kit/cache';
import { createHashingQueue, type Place } from './hashing-queue.ts';

/** OWASP's scrypt of 32 MiB at the default cost of 15: N = 2^15, r = 8, p = 3. */
const R = 8;
const P = 3;
const HASH_BYTES = 32;
const SALT_BYTES = 16;
/** A derivation takes its memory and a thread of libuv's pool, which name lookups share. */
const LIMITS = { concurrency: 2, maxWaiting: 64, maxPerLane: 8, maxWaitMs: 10_000 };
/** A network with this many consecutive wrong passwords is served after all others for this long. */
const SUSPECT_AFTER = 3;
const SUSPECT_FOR_MS = 15 * 60_000;
const MAX_SUSPECTS = 10_000;

/**
 * `lane`: the network, browser or person. `isKnown`: they have shown something that a guesser lacks: a session, an
 * invitation, or a browser or network that the account has signed in from.
 */
export type HashingFor = { lane: string; isKnown: boolean; email: string };

export type Passwords = {
  hash(password: string, of: HashingFor): Promise<string>;
  /**
   * Indexes of the stored hashes that match. Accounts of one address share its salt, so that one derivation checks
   * them all; an empty list takes as long.
   */
  matching(password: string, stored: readonly string[], of: HashingFor): Promise<number[]>;
  /** Whether the cost is outdated, or the salt is not that of the address. */
  isOutdated(stored: string, email: string): boolean;
};

/** Passwords as `scrypt$<cost>$<salt>$<hash>`; `cost` is the exponent of N. */
export function createPasswords(cost: number, pepper: string): Passwords {
  const enqueue = createHashingQueue(LIMITS);
  const wrongInARow = createCache<string, number>({ maxEntries: MAX_SUSPECTS, ttlMs: SUSPECT_FOR_MS });
  const placeOf = ({ lane, isKnown }: HashingFor): Place => {
    if (isKnown) return { lane, priority: 'known' };
    return { lane, priority: (wrongInARow.get(lane) ?? 0) >= SUSPECT_AFTER ? 'suspect' : 'new' };
  };
  const recordOutcome = ({ lane, isKnown }: HashingFor, isRight: boolean): void => {
    if (isRight) wrongInARow.delete(lane);
    else if (!isKnown) wrongInARow.set(lane, (wrongInARow.get(lane) ?? 0) + 1);
  };
  const placeholderSetting = `${cost}$${randomBytes(SALT_BYTES).toString('base64url')}`;
  const settingOf = (stored: string): string => stored.split('$').slice(1, 3).join('$');
  const newSetting = (email: string): string => {
    const salt = createHmac('sha256', pepper).update(`salt ${email}`).digest().subarray(0, SALT_BYTES);
    return `${cost}$${salt.toString('base64url')}`;
  };
  const deriveInTurn = (password: string, setting: string, of: HashingFor): Promise<Buffer> => {
    const [exponent, salt = ''] = setting.split('$');
    return enqueue(placeOf(of), () => derive(password, Buffer.from(salt, 'base64url'), Number(exponent)));
  };

  return {
    hash: async (password, of) => {
      const setting = newSetting(of.email);
      return `scrypt$${setting}$${(await deriveInTurn(password, setting, of)).toString('base64url')}`;
    },
    matching: async (password, stored, of) => {
      const right: number[] = [];
      for (const setting of new Set(stored.length > 0 ? stored.map(settingOf) : [placeholderSetting])) {
        const hash = await deriveInTurn(password, setting, of);
        for (const [i, one] of stored.entries()) {
          const expected = Buffer.from(one.split('$')[3] ?? '', 'base64url');
          if (settingOf(one) !== setting || expected.length !== HASH_BYTES) continue;
          if (timingSafeEqual(hash, expected)) right.push(i);
        }
      }
      recordOutcome(of, right.length > 0);
      return right.sort((a, b) => a - b);
    },
    isOutdated: (stored, email) => settingOf(stored) !== newSetting(email),
  };
}

/** NFKC: the same password however the keyboard composes its characters. */
function derive(password: string, salt: Buffer, cost: number): Promise<Buffer> {
  const N = 2 ** cost;
  const options: ScryptOptions = { N, r: R, p: P, maxmem: 256 * N * R };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, HASH_BYTES, options, (err, key) =>
      err ? reject(err) : resolve(key),
    );
  });
}
