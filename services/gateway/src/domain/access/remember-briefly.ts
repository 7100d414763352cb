import { monotonicMs } from '@parley/kit/time';
import { setBounded } from '../set-bounded.ts';

/**
 * Just under the second within which a revoked key or session must be refused on every replica (D2.2): nothing has to be
 * pushed to anybody, and a busy key costs about two queries a second.
 */
const TTL_MS = 900;
/** What is asked for at this age is looked up anew beside it: of a busy key no request waits for the database. */
const RENEW_MS = 550;
const MAX_ENTRIES = 10_000;

type Entry<T> = { value: Promise<T | undefined>; readAtMs: number; isRenewed: boolean };

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

  const look = (hash: string): Entry<T> => ({
    value: find(hash),
    readAtMs: monotonicMs(),
    isRenewed: false,
  });

  const read = (hash: string): Promise<T | undefined> => {
    const entry = look(hash);
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

  const renew = (hash: string, old: Entry<T>): void => {
    old.isRenewed = true;
    const entry = look(hash);
    entry.value.then(
      (value) => {
        // It was forgotten meanwhile, or read.
        if (found.get(hash) !== old) return;
        found.delete(hash);
        setBounded(value === undefined ? missed : found, hash, entry, MAX_ENTRIES);
      },
      () => {
        old.isRenewed = false;
      },
    );
  };

  return {
    findByHash: (hash) => {
      const good = found.get(hash);
      const known = good ?? missed.get(hash);
      const ageMs = known ? monotonicMs() - known.readAtMs : Number.POSITIVE_INFINITY;
      if (!known || ageMs >= TTL_MS) return read(hash);
      if (known === good && ageMs >= RENEW_MS && !known.isRenewed) renew(hash, known);
      return known.value;
    },
    knows: (hash) => found.has(hash),
    forget: (hash) => {
      found.delete(hash);
      missed.delete(hash);
    },
  };
}
