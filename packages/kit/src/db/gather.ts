import { isConnectivityError } from '../errors/index.ts';

/** What one statement takes at most. */
const MOST = 200;

type Waiting<T, R> = { item: T; resolve: (result: R) => void; reject: (err: unknown) => void };

/**
 * Group commit: while `write` is under way, items gather, and the next one takes all of them. Many calls cost few
 * transactions, and a lone call waits for nobody. `write` answers in the order of its items; when it refuses a batch
 * each item is tried alone, so that a bad one harms no other.
 */
export function gather<T, R>(write: (items: T[]) => Promise<R[]>): (item: T) => Promise<R> {
  let waiting: Waiting<T, R>[] = [];
  let busy = false;

  const settle = async (batch: Waiting<T, R>[]): Promise<void> => {
    try {
      const results = await write(batch.map(({ item }) => item));
      for (const [i, { resolve }] of batch.entries()) resolve(results[i] as R);
    } catch (err) {
      if (batch.length > 1 && !isConnectivityError(err)) {
        for (const single of batch) await settle([single]);
      } else {
        for (const { reject } of batch) reject(err);
      }
    }
  };

  const run = async (): Promise<void> => {
    // What comes in one breath goes together.
    await Promise.resolve();
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MOST);
      waiting = waiting.slice(MOST);
      await settle(batch);
    }
    busy = false;
  };

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (busy) return;
      busy = true;
      void run();
    });
}
