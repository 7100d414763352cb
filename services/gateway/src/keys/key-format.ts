import { createHmac, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

export type KeyType = 'private' | 'public';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
export const PREFIX: Record<KeyType, string> = { private: 'svc_', public: 'svc_pub_' };
const RANDOM_CHARACTERS = 30;
const CHECKSUM_CHARACTERS = 6;
const DISPLAYED_CHARACTERS = 8;
const KEY = /^(svc_(?:pub_)?)([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/;

/** A new key: prefix, 30 random characters, checksum [access.3]. */
export function newKey(type: KeyType): string {
  const random = Array.from({ length: RANDOM_CHARACTERS }, () => ALPHABET[randomInt(ALPHABET.length)]).join(
    '',
  );
  const body = PREFIX[type] + random;
  return body + checksum(body);
}

/** The type of a well-formed key, whose checksum matches; a malformed one never reaches the database. */
export function keyTypeOf(key: string): KeyType | undefined {
  const [, prefix = '', random = '', sum] = KEY.exec(key) ?? [];
  if (sum !== checksum(prefix + random)) return undefined;
  return prefix === PREFIX.public ? 'public' : 'private';
}

/** The first characters after the prefix, which identify a key for people. */
export function displayPrefix(key: string): string {
  return key.replace(/^svc_(?:pub_)?/, '').slice(0, DISPLAYED_CHARACTERS);
}

/** The stored form of a key. */
export function hashKey(key: string, pepper: string): string {
  return createHmac('sha256', pepper).update(key).digest('hex');
}

/** CRC32 in base 62, most significant first. */
function checksum(body: string): string {
  let rest = crc32(body);
  let out = '';
  for (let i = 0; i < CHECKSUM_CHARACTERS; i++) {
    out = ALPHABET[rest % ALPHABET.length] + out;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return out;
}
