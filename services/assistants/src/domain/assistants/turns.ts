import { realTimer } from '@parley/kit/time';
import { keptChanging } from './kept-changing.ts';

/** Runs `work` when all that came before it under the same key is done; `CONFLICT` when that takes too long. */
export type Turns = <R>(key: string, work: () => Promise<R>) => Promise<R>;

/**
 * Those who change one assistant queue here, inside their process, rather than in transactions: there each would hold
 * a connection while it waits, and a rush on one assistant would leave none for anybody else.
 */
export function createTurns(waitMs: number): Turns {
  const lasts = new Map<string, Promise<void>>();

  return async (key, work) => {
    const before = lasts.get(key);
    let leave = (): void => {};
    const mine = new Promise<void>((resolve) => {
      leave = resolve;
    });
    // Whoever comes next waits for all of us, also when I give up.
    const last = Promise.all([before, mine]).then(() => {
      if (lasts.get(key) === last) lasts.delete(key);
    });
    lasts.set(key, last);
    try {
      if (before) await inTime(before, waitMs);
      return await work();
    } finally {
      leave();
    }
  };
}

function inTime(promise: Promise<void>, waitMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = realTimer(waitMs, () => reject(keptChanging()));
    void promise.then(() => {
      cancel();
      resolve();
    });
  });
}
