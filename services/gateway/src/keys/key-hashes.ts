import { createCache } from '@parley/kit/cache';
import { hashKey, keyTypeOf } from './key-format.ts';

/** The TTL of the credential cache, so that both refresh a busy key about once a second. */
const TTL_MS = 900;
const MAX_ENTRIES = 10_000;

/** Returns the hash of a presented key, or undefined if it is malformed; the hash of a busy key is computed once a second. */
export function createKeyHashes(pepper: string): (key: string) => string | undefined {
  const hashes = createCache<string, string>({ maxEntries: MAX_ENTRIES, ttlMs: TTL_MS });
  return (key) => {
    const known = hashes.get(key);
    if (known !== undefined || keyTypeOf(key) === undefined) return known;
    const hash = hashKey(key, pepper);
    hashes.set(key, hash);
    return hash;
  };
}
