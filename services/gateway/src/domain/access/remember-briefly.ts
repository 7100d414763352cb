import { monotonicMs } from '@parley/kit/time';
import { setBounded } from '../set-bounded.ts';

/**
 * Just under the second within which a revoked key or session must be refused on every replica (D2.2): nothing has to be
 * pushed to anybody, and a busy key costs one query a second.
 */
const TTL_MS = 900;
const MAX_ENTRIES = 10_000;

type Entry<T> = { value: Promise<T | undefined>; readAtMs: number };

export type Briefly<T> = {
  findByHash(hash: string): Promise<T | undefined>;
  /** There was something when this process last looked, however long ago: no guess. */
  knows(hash: string): boolean;
  /** What this process itself has changed shows at once here. */
  forget(hash: string): void;
};

/** Remembers what was found, and that nothing was, for less than a second. Concurrent requests share one query. */
export function rememberBriefly<T>(find: (hash: string) => Promise<T | undefined>): Briefly<T> {
  // Apart, so that guesses, however many, drive out nothing that is good.
  const found = new Map<string, Entry<T>>();
  const missed = new Map<string, Entry<T>>();

  const read = (hash: string): Promise<T | undefined> => {
    const entry = { value: find(hash), readAtMs: monotonicMs() };
    const before = found.has(hash) ? found : missed;
    setBounded(before, hash, entry, MAX_ENTRIES);
    entry.value.then(
      (value) => {
        const after = value === undefined ? missed : found;
        // Another one stands here where it was forgotten meanwhile.
        if (before === after || before.get(hash) !== entry) return;
        before.delete(hash);
        setBounded(after, hash, entry, MAX_ENTRIES);
      },
      // The next one asks again.
      () => {
        entry.readAtMs = Number.NEGATIVE_INFINITY;
      },
    );
    return entry.value;
  };

  return {
    findByHash: (hash) => {
      const known = found.get(hash) ?? missed.get(hash);
      return known && monotonicMs() - known.readAtMs < TTL_MS ? known.value : read(hash);
    },
    knows: (hash) => found.has(hash),
    forget: (hash) => {
      found.delete(hash);
      missed.delete(hash);
    },
  };
}
