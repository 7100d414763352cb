/** Runs work of a key, or waits for the same work of that key that is running, and returns its result. */
export type SingleFlight<T> = (key: string, work: () => Promise<T>) => Promise<T>;

/**
 * For work whose result is the same for all that want it at this moment: they share one run instead of waiting for each other's locks,
 * each with a database connection. Those that wait for a run that fails share one more, because the cause may have been the first
 * caller's, such as a client that has gone.
 */
export function createSingleFlight<T>(): SingleFlight<T> {
  const running = new Map<string, Promise<T>>();
  const join = (key: string, work: () => Promise<T>): Promise<T> => {
    const run = running.get(key) ?? work().finally(() => running.delete(key));
    running.set(key, run);
    return run;
  };
  return (key, work) => {
    const other = running.get(key);
    return other ? other.catch(() => join(key, work)) : join(key, work);
  };
}
