import { AppError, isConnectivityError } from '../errors/index.ts';
import { monotonicMs, realSleep } from '../time/index.ts';

export type BatcherOptions = {
  /** Maximum number of items per write. */
  maxItems?: number;
  /**
   * Real milliseconds that an item waits for an unreachable dependency before it is rejected; 0 by default: at once. An item is tried
   * at least twice, since a single failure may last that long.
   */
  outageTimeoutMs?: number;
  /**
   * Real milliseconds within which the write of an item begins; otherwise it is rejected unwritten, with `SERVICE_UNAVAILABLE`. Unlimited by
   * default.
   */
  maxWaitMs?: number;
};

const OUTAGE_PAUSE_MS = 100;

type Pending<T, R> = {
  item: T;
  sinceMs: number;
  failures: number;
  resolve: (result: R) => void;
  reject: (err: unknown) => void;
};

/**
 * Group commit: items that arrive while `write` runs are written together by the next one, and a lone item is written at once.
 * `write` returns its results in the order of the items. When it rejects a batch each item is written alone, so that a bad item
 * fails no others.
 */
export function createBatcher<T, R>(
  write: (items: T[]) => Promise<R[]>,
  { maxItems = 200, outageTimeoutMs = 0, maxWaitMs = Number.POSITIVE_INFINITY }: BatcherOptions = {},
): (item: T) => Promise<R> {
  let pending: Pending<T, R>[] = [];
  let isRunning = false;

  const retryLater = async (batch: readonly Pending<T, R>[], err: unknown): Promise<void> => {
    const oldestMs = monotonicMs() - outageTimeoutMs;
    for (const one of batch) one.failures += 1;
    const isExpired = ({ sinceMs, failures }: Pending<T, R>): boolean =>
      outageTimeoutMs === 0 || (sinceMs < oldestMs && failures > 1);
    for (const { reject } of batch.filter(isExpired)) reject(err);
    const left = batch.filter((one) => !isExpired(one));
    if (left.length === 0) return;
    pending = [...left, ...pending];
    await realSleep(OUTAGE_PAUSE_MS);
  };

  const rejectLate = (given: readonly Pending<T, R>[]): Pending<T, R>[] => {
    const oldestMs = monotonicMs() - maxWaitMs;
    const isLate = ({ sinceMs }: Pending<T, R>): boolean => sinceMs < oldestMs;
    for (const { reject } of given.filter(isLate))
      reject(new AppError('SERVICE_UNAVAILABLE', `The write did not begin within ${maxWaitMs} ms`));
    return given.filter((one) => !isLate(one));
  };

  const writeBatch = async (given: readonly Pending<T, R>[]): Promise<void> => {
    const batch = rejectLate(given);
    if (batch.length === 0) return;
    try {
      const results = await write(batch.map(({ item }) => item));
      for (const [i, { resolve }] of batch.entries()) resolve(results[i] as R);
    } catch (err) {
      if (isConnectivityError(err)) await retryLater(batch, err);
      else if (batch.length === 1) batch[0]?.reject(err);
      else for (const single of batch) await writeBatch([single]);
    }
  };

  const run = async (): Promise<void> => {
    // Items of the same tick share the first write.
    await Promise.resolve();
    while (pending.length > 0) {
      const batch = pending.slice(0, maxItems);
      pending = pending.slice(maxItems);
      await writeBatch(batch);
    }
    isRunning = false;
  };

  return (item) =>
    new Promise((resolve, reject) => {
      pending.push({ item, sinceMs: monotonicMs(), failures: 0, resolve, reject });
      if (isRunning) return;
      isRunning = true;
      void run();
    });
}
