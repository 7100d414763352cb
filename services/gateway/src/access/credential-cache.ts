import { createCache, createLoadingCache } from '@parley/kit/cache';
import { monotonicMs } from '@parley/kit/time';

/**
 * Below the second within which every replica rejects a revoked key [access.4]: no invalidation is published, and a busy key
 * costs about two queries a second (ADR 3).
 */
const TTL_MS = 900;
/** From this age on an entry is refreshed in the background: requests with a busy key never wait for the database. */
const REFRESH_MS = 550;
const MAX_ENTRIES = 10_000;
const AGAIN_MS = 1_000;

export type CredentialCache<T> = {
  findByHash(hash: string): Promise<T | undefined>;
  /** Looks the credential up again, at most once a second: another replica may have changed it. */
  findAgain(hash: string): Promise<T | undefined>;
  /** Whether the last lookup in this process, however long ago, was a hit: then the credential is not a guess. */
  knows(hash: string): boolean;
  /** What the last lookup in this process found, however long ago: not for authentication. */
  peek(hash: string): T | undefined;
  /** Makes a change by this process visible here immediately. */
  forget(hash: string): void;
};

/** Caches hits and misses for less than a second; guesses never evict valid credentials. */
export function createCredentialCache<T>(find: (hash: string) => Promise<T | undefined>): CredentialCache<T> {
  const cache = createLoadingCache<string, { value: T; readAtMs: number } | null>({
    load: async (hash) => {
      const readAtMs = monotonicMs();
      const value = await find(hash);
      return value === undefined ? null : { value, readAtMs };
    },
    ttlMs: TTL_MS,
    refreshAfterMs: REFRESH_MS,
    maxEntries: MAX_ENTRIES,
    maxMisses: MAX_ENTRIES,
  });
  const lookedUpAgain = createCache<string, true>({ maxEntries: MAX_ENTRIES, ttlMs: AGAIN_MS });
  // A lookup that took longer than the TTL is not shared with later requests: its result may be too old for them.
  const findByHash = async (hash: string): Promise<T | undefined> =>
    (await cache.get(hash, (found) => !found || monotonicMs() - found.readAtMs < TTL_MS))?.value;
  return {
    findByHash,
    findAgain: (hash) => {
      if (!lookedUpAgain.get(hash)) cache.delete(hash);
      lookedUpAgain.getOrSet(hash, () => true);
      return findByHash(hash);
    },
    knows: (hash) => (cache.peek(hash)?.value ?? null) !== null,
    peek: (hash) => cache.peek(hash)?.value?.value,
    forget: cache.delete,
  };
}
