import type { Clock } from '@parley/kit/time';
import type { KeyUse } from './ports.ts';

/** Gathers which keys were used; `flush` writes them in one statement, and keeps them for the next where it fails. */
export function createKeyUseRecorder(store: KeyUse, clock: Clock) {
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

export type KeyUseRecorder = ReturnType<typeof createKeyUseRecorder>;
