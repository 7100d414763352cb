import { createCache } from '@parley/kit/cache';
import { hashKey, keyTypeOf } from './key-format.ts';

/** The TTL of the credential cache, so that both refresh a busy key about once a second. */
const TTL_MS = 900;
const MAX_ENTRIES = 10_000;

const SEPARATOR = ' ';

/**
 * Returns the hashes of a presented key under each pepper as one text, or undefined if it is malformed; those of a busy key are computed
 * once a second.
 */
export function createKeyHashes(peppers: readonly string[]): (key: string) => string | undefined {
  const hashes = createCache<string, string>({ maxEntries: MAX_ENTRIES, ttlMs: TTL_MS });
  return (key) => {
    const known = hashes.get(key);
    if (known !== undefined || keyTypeOf(key) === undefined) return known;
    const computed = peppers.map((pepper) => hashKey(key, pepper)).join(SEPARATOR);
    hashes.set(key, computed);
    return computed;
  };
}

/** The hash under the pepper in use, and those under the ones that are being replaced. */
export function hashesIn(text: string): { current: string; former: string[] } {
  const [current = '', ...former] = text.split(SEPARATOR);
  return { current, former };
}
