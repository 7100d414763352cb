/** Runs work of a key, or waits for the same work of that key that is running, and returns its result. */
export type SingleFlight<T> = (key: string, work: () => Promise<T>) => Promise<T>;

/**
 * For work whose result is the same for all that want it at this moment: they share one run instead of waiting for each other's locks,
 * each with a database connection. A run has the context (`AsyncLocalStorage`) of the caller that started it. A failure for which `isOwn`
 * returns true is that caller's alone, for example because its client has gone: the next caller runs its own work, which the others share.
 */
export function createSingleFlight<T>({
  isOwn = () => false,
}: {
  isOwn?: (err: unknown) => boolean;
} = {}): SingleFlight<T> {
  const running = new Map<string, Promise<T>>();
  return async (key, work) => {
    for (let other = running.get(key); other; other = running.get(key)) {
      try {
        return await other;
      } catch (err) {
        if (!isOwn(err)) throw err;
      }
    }
    const run = work().finally(() => running.delete(key));
    running.set(key, run);
    return run;
  };
}
