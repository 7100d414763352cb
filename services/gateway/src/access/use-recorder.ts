import type { Clock } from '@parley/kit/time';

export type UseStore = { markUsed(ids: readonly string[], at: Date): Promise<void> };

/** Collects the ids of used keys or sessions; `flush` writes them in one statement and keeps them if it fails. */
export function createUseRecorder(store: UseStore, clock: Clock) {
  let used = new Set<string>();
  return {
    record: (id: string): void => {
      used.add(id);
    },
    flush: async (): Promise<void> => {
      if (used.size === 0) return;
      const ids = [...used];
      used = new Set();
      try {
        await store.markUsed(ids, clock.now());
      } catch (err) {
        for (const id of ids) used.add(id);
        throw err;
      }
    },
  };
}

export type UseRecorder = ReturnType<typeof createUseRecorder>;
