import { monotonicMs } from '@parley/kit/time';
import type { KeyLookup, KnownKey } from './ports.ts';

/**
 * Just under the second within which a revoked key must be refused on every replica (D2.2): nothing has to be
 * pushed to anybody, and a busy key costs one query a second.
 */
const TTL_MS = 900;
const MAX_ENTRIES = 10_000;

type Entry = { found: Promise<KnownKey | undefined>; readAtMs: number };

/** Remembers keys, and that a key is unknown, for less than a second. Concurrent requests share one query. */
export function createKeyCache(lookup: KeyLookup): KeyLookup {
  const entries = new Map<string, Entry>();

  return {
    findByHash: (hash) => {
      const nowMs = monotonicMs();
      const known = entries.get(hash);
      if (known && nowMs - known.readAtMs < TTL_MS) return known.found;
      if (entries.size >= MAX_ENTRIES) entries.clear();
      const entry = { found: lookup.findByHash(hash), readAtMs: nowMs };
      entries.set(hash, entry);
      entry.found.catch(() => entries.get(hash) === entry && entries.delete(hash));
      return entry.found;
    },
  };
}
