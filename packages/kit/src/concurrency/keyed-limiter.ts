import { AppError } from '../errors/index.ts';

export type KeyedLimiterOptions = {
  /** Pieces of work of each key that run at the same time. */
  concurrency: number;
  /** Pieces of work of each key that may wait, in order; 0 by default. */
  maxQueued?: number;
  /** The error for work beyond both; `429 RATE_LIMITED` by default. */
  rejection?: () => Error;
};

/** Frees the slot; may be called more than once. */
export type ReleaseSlot = () => void;

export type KeyedLimiter = {
  /** Waits for a slot. Throws the rejection if the key's queue is full, and the signal's reason if that aborts meanwhile. */
  acquire(key: string, signal?: AbortSignal): Promise<ReleaseSlot>;
  /** Acquires a slot without waiting, or throws the rejection. */
  acquireNow(key: string): ReleaseSlot;
  /** Acquires a slot, runs `work` and frees the slot. */
  run<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
};

const RETRY_AFTER_SECONDS = 1;

type Lane = { running: number; queue: Set<() => void> };

/**
 * Bounds concurrent work by key within this process (a workspace, say), so that one key cannot take everything that all share.
 * Waiting work that is aborted leaves its queue at once, which p-queue doesn't do.
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

  const acquireNow = (key: string): ReleaseSlot => {
    const lane = laneOf(key);
    if (lane.running >= concurrency) throw rejection();
    lane.running += 1;
    return slot(key, lane);
  };

  const acquire = async (key: string, signal?: AbortSignal): Promise<ReleaseSlot> => {
    signal?.throwIfAborted();
    const lane = laneOf(key);
    if (lane.running < concurrency || lane.queue.size >= maxQueued) return acquireNow(key);
    await enqueue(lane, signal);
    return slot(key, lane);
  };

  return {
    acquire,
    acquireNow,
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
