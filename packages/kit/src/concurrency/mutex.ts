import { Mutex, withTimeout } from 'async-mutex';

/** Runs one call per key at a time, in order. */
export type RunExclusiveByKey = <T>(key: string, work: () => Promise<T>) => Promise<T>;

type MutexTimeout = {
  /** Maximum wait for the mutex, in real milliseconds. */
  timeoutMs: number;
  /** The error when the wait exceeds it. */
  timeoutError: () => Error;
};

/** A mutex per key within this process, for work that would otherwise hold a database connection while it waits. */
export function createKeyedMutex({ timeoutMs, timeoutError }: MutexTimeout): RunExclusiveByKey {
  const entries = new Map<string, { mutex: Mutex; users: number }>();
  return async (key, work) => {
    const entry = entries.get(key) ?? { mutex: new Mutex(), users: 0 };
    entries.set(key, entry);
    entry.users += 1;
    try {
      return await withTimeout(entry.mutex, timeoutMs, timeoutError()).runExclusive(work);
    } finally {
      entry.users -= 1;
      if (entry.users === 0) entries.delete(key);
    }
  };
}
