import { monotonicMs, realTimer } from '../time/index.ts';

/** Real time. Several Prometheus servers cost no more than one. */
const EVERY_MS = 2_000;
/** A scrape waits this long; a later result is exported by the next one. */
const WAIT_MS = 1_000;

/**
 * Runs a query (to the database or the broker) at most once every two seconds and one at a time, however often it is scraped. Undefined
 * if there is no result in time.
 */
export function sampled<T>(query: () => Promise<T>): () => Promise<T | undefined> {
  let startedAtMs = Number.NEGATIVE_INFINITY;
  let result: Promise<T | undefined> = Promise.resolve(undefined);
  let isRunning = false;
  return () => {
    if (!isRunning && monotonicMs() - startedAtMs >= EVERY_MS) {
      startedAtMs = monotonicMs();
      isRunning = true;
      result = query()
        .catch(() => undefined)
        .finally(() => {
          isRunning = false;
        });
    }
    return inTime(result);
  };
}

function inTime<T>(result: Promise<T | undefined>): Promise<T | undefined> {
  return new Promise((resolve) => {
    const cancel = realTimer(WAIT_MS, () => resolve(undefined));
    void result.then((value) => {
      cancel();
      resolve(value);
    });
  });
}
