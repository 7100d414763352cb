/** Runs work of a key, or waits for the same work of that key that is running, and returns its result. */
export type SingleFlight<T> = (key: string, work: () => Promise<T>) => Promise<T>;

/**
 * For work whose result is the same for all that want it at this moment: they share one run instead of waiting for each other's locks,
 * each with a database connection. A failure is not shared, since its cause may be the caller's, such as a client that has gone: then the
 * next one tries.
 */
export function createSingleFlight<T>(): SingleFlight<T> {
  const running = new Map<string, Promise<T>>();
  return async (key, work) => {
    for (let other = running.get(key); other; other = running.get(key)) {
      const shared = await other.then(
        (value) => ({ value }),
        () => undefined,
      );
      if (shared) return shared.value;
    }
    const run = work().finally(() => running.delete(key));
    running.set(key, run);
    return run;
  };
}
