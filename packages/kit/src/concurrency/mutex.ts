import { Mutex, type MutexInterface, withTimeout } from 'async-mutex';

/** Runs one call at a time, in order. */
export type RunExclusive = <T>(work: () => Promise<T>) => Promise<T>;
/** Runs one call per key at a time, in order. */
export type RunExclusiveByKey = <T>(key: string, work: () => Promise<T>) => Promise<T>;

export type MutexTimeout = {
  /** Maximum wait for the mutex, in real milliseconds. */
  timeoutMs: number;
  /** The error when the wait exceeds it. */
  timeoutError: () => Error;
};

/** A mutex within this process. */
export function createMutex(timeout?: MutexTimeout): RunExclusive {
  const mutex = new Mutex();
  return (work) => bounded(mutex, timeout).runExclusive(work);
}

/** A mutex per key within this process, for work that would otherwise hold a database connection while it waits. */
export function createKeyedMutex(timeout?: MutexTimeout): RunExclusiveByKey {
  const entries = new Map<string, { mutex: Mutex; users: number }>();
  return async (key, work) => {
    const entry = entries.get(key) ?? { mutex: new Mutex(), users: 0 };
    entries.set(key, entry);
    entry.users += 1;
    try {
      return await bounded(entry.mutex, timeout).runExclusive(work);
    } finally {
      entry.users -= 1;
      if (entry.users === 0) entries.delete(key);
    }
  };
}

const bounded = (mutex: Mutex, timeout: MutexTimeout | undefined): MutexInterface =>
  timeout ? withTimeout(mutex, timeout.timeoutMs, timeout.timeoutError()) : mutex;
