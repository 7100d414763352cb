import { monotonicMs } from '@parley/kit/time';
import { hashKey, keyTypeOf } from './key-format.ts';

/** As long as what is remembered of a key (ADR 3): the next one that comes after it finds none of them here. */
const TTL_MS = 900;
const MAX_ENTRIES = 10_000;

/** The hash under which a presented key is looked up, or undefined where it is malformed: a busy key's is computed once a second. */
export function rememberHashes(pepper: string): (key: string) => string | undefined {
  let hashes = new Map<string, string>();
  let sinceMs = monotonicMs();
  return (key) => {
    const nowMs = monotonicMs();
    if (nowMs - sinceMs >= TTL_MS || hashes.size >= MAX_ENTRIES) {
      hashes = new Map();
      sinceMs = nowMs;
    }
    const known = hashes.get(key);
    if (known !== undefined || keyTypeOf(key) === undefined) return known;
    const hash = hashKey(key, pepper);
    hashes.set(key, hash);
    return hash;
  };
}
