import pLimit from 'p-limit';

/**
 * Runs `work` for all items, at most `concurrency` at the same time. Waits for all of them even if some fail, then rejects with the
 * first error.
 */
export async function forEachLimited<T>(
  items: readonly T[],
  concurrency: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const limit = pLimit(concurrency);
  const results = await Promise.allSettled(items.map((item) => limit(() => work(item))));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}
