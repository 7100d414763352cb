import { createLoadingCache } from '@parley/kit/cache';

const MAX_NAMES = 4_000;
const KEEP_MS = 30_000;
const STALE_MS = 6 * 3_600_000;

/**
 * Caches answers of name servers for half a minute, and for hours while the servers fail. Null: they fail, and no answer is known; this is
 * also cached for half a minute, so that a name whose servers don't respond delays few calls.
 */
export function createCachedLookUp<V extends {}>(
  lookUp: (name: string) => Promise<V>,
  { nowMs }: { nowMs?: (() => number) | undefined } = {},
): (name: string) => Promise<V | null> {
  const answers = createLoadingCache<string, V | null>({
    load: async (name, previous) => {
      try {
        return await lookUp(name);
      } catch (err) {
        if (previous?.value && previous.ageMs < STALE_MS) throw err;
        return null;
      }
    },
    maxEntries: MAX_NAMES,
    maxMisses: MAX_NAMES,
    ttlMs: KEEP_MS,
    staleOnErrorMs: STALE_MS,
    ...(nowMs ? { nowMs } : {}),
  });
  return (name) => answers.get(name);
}
