import { Mutex, type MutexInterface, withTimeout } from 'async-mutex';

/** Runs one piece of work at a time, in the order of the calls. */
export type RunExclusive = <T>(work: () => Promise<T>) => Promise<T>;
/** Runs one piece of work per key at a time, in the order of the calls. */
export type RunExclusiveByKey = <T>(key: string, work: () => Promise<T>) => Promise<T>;

export type MutexTimeout = {
  /** Real milliseconds that work waits for what came before it. */
  timeoutMs: number;
  /** The error for work that waited longer. */
  timeoutError: () => Error;
};

/** A mutex of this process. */
export function createMutex(timeout?: MutexTimeout): RunExclusive {
  const mutex = new Mutex();
  return (work) => bounded(mutex, timeout).runExclusive(work);
}

/** A mutex for each key, within this process: for work that would otherwise wait with a database connection in its hands. */
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
