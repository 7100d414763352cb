import pLimit from 'p-limit';

/** Runs at most `concurrency` calls at the same time, and queues the rest in order. */
export type Limiter = <T>(work: () => Promise<T>) => Promise<T>;

export function createLimiter(concurrency: number): Limiter {
  return pLimit(concurrency);
}

/**
 * Runs `work` for all items, at most `concurrency` at the same time. Waits for all of them even if some fail, then rejects with the
 * first error.
 */
export async function forEachLimited<T>(
  items: readonly T[],
  concurrency: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const limit = createLimiter(concurrency);
  const results = await Promise.allSettled(items.map((item) => limit(() => work(item))));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}
