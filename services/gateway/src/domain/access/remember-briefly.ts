import { monotonicMs } from '@parley/kit/time';

/**
 * Just under the second within which a revoked key or session must be refused on every replica (D2.2): nothing has to be
 * pushed to anybody, and a busy key costs one query a second.
 */
const TTL_MS = 900;
const MAX_ENTRIES = 10_000;

type Entry<T> = { found: Promise<T | undefined>; readAtMs: number };

export type Briefly<T> = {
  findByHash(hash: string): Promise<T | undefined>;
  /** What this process itself has changed shows at once here. */
  forget(hash: string): void;
};

/** Remembers what was found, and that nothing was, for less than a second. Concurrent requests share one query. */
export function rememberBriefly<T>(find: (hash: string) => Promise<T | undefined>): Briefly<T> {
  const entries = new Map<string, Entry<T>>();

  return {
    findByHash: (hash) => {
      const nowMs = monotonicMs();
      const known = entries.get(hash);
      if (known && nowMs - known.readAtMs < TTL_MS) return known.found;
      if (entries.size >= MAX_ENTRIES) entries.clear();
      const entry = { found: find(hash), readAtMs: nowMs };
      entries.set(hash, entry);
      entry.found.catch(() => entries.get(hash) === entry && entries.delete(hash));
      return entry.found;
    },
    forget: (hash) => {
      entries.delete(hash);
    },
  };
}
