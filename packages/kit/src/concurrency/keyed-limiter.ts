import { AppError } from '../errors/index.ts';

export type KeyedLimiterOptions = {
  /** Maximum concurrent work per key. */
  concurrency: number;
  /** Maximum queued work per key, first in, first out; 0 by default. */
  maxQueued?: number;
  /** The error when the queue is full; `429 RATE_LIMITED` by default. */
  rejection?: () => Error;
};

/** Frees the slot; may be called more than once. */
export type ReleaseSlot = () => void;

export type KeyedLimiter = {
  /** Waits for a slot. Throws the rejection if the key's queue is full, and the signal's reason if it aborts while waiting. */
  acquire(key: string, signal?: AbortSignal): Promise<ReleaseSlot>;
  /** Acquires a slot without waiting, or throws the rejection. */
  acquireNow(key: string): ReleaseSlot;
  /** Acquires a slot without waiting; undefined if there is none. */
  tryAcquire(key: string): ReleaseSlot | undefined;
  /** Acquires a slot, runs `work` and frees the slot. */
  run<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Pieces of work of the key that wait. */
  waiting(key: string): number;
};

const RETRY_AFTER_SECONDS = 1;

type Lane = { running: number; queue: Set<() => void> };

/**
 * Bounds concurrent work per key (such as a workspace) within this process, so that one key cannot take all of a shared resource.
 * Aborted work leaves its queue immediately, which p-queue doesn't support.
 */
export function createKeyedLimiter(options: KeyedLimiterOptions): KeyedLimiter {
  const { concurrency, maxQueued = 0, rejection = tooManyAtOnce } = options;
  const lanes = new Map<string, Lane>();

  const laneOf = (key: string): Lane => {
    const lane = lanes.get(key) ?? { running: 0, queue: new Set() };
    lanes.set(key, lane);
    return lane;
  };

  const release = (key: string, lane: Lane): void => {
    const [next] = lane.queue;
    if (next) {
      lane.queue.delete(next);
      next();
      return;
    }
    lane.running -= 1;
    if (lane.running === 0) lanes.delete(key);
  };

  const slot = (key: string, lane: Lane): ReleaseSlot => {
    let isHeld = true;
    return () => {
      if (isHeld) release(key, lane);
      isHeld = false;
    };
  };

  const enqueue = ({ queue }: Lane, signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const begin = (): void => {
        signal?.removeEventListener('abort', abort);
        resolve();
      };
      const abort = (): void => {
        queue.delete(begin);
        reject(signal?.reason);
      };
      queue.add(begin);
      signal?.addEventListener('abort', abort, { once: true });
    });

  const tryAcquire = (key: string): ReleaseSlot | undefined => {
    const lane = laneOf(key);
    if (lane.running >= concurrency) return undefined;
    lane.running += 1;
    return slot(key, lane);
  };

  const acquireNow = (key: string): ReleaseSlot => {
    const release = tryAcquire(key);
    if (!release) throw rejection();
    return release;
  };

  const acquire = async (key: string, signal?: AbortSignal): Promise<ReleaseSlot> => {
    signal?.throwIfAborted();
    const lane = laneOf(key);
    if (lane.running < concurrency || lane.queue.size >= maxQueued) return acquireNow(key);
    await enqueue(lane, signal);
    return slot(key, lane);
  };

  return {
    waiting: (key) => lanes.get(key)?.queue.size ?? 0,
    acquire,
    acquireNow,
    tryAcquire,
    run: async (key, work, signal) => {
      const leave = await acquire(key, signal);
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}

function tooManyAtOnce(): AppError {
  return new AppError('RATE_LIMITED', 'Too many concurrent requests; retry after the delay in Retry-After', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
