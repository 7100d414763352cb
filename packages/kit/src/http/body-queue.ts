import { createKeyedLimiter } from '../concurrency/index.ts';
import { monotonicMs, realTimer } from '../time/index.ts';

/*
 * Parsing and validating a body of a mebibyte occupies the process for some milliseconds. Those of one workspace run one at a time, with a rest
 * in between, so that several at once do not add up for others [trust.1].
 */

export type BodyQueue = {
  /** Runs `work` on a body of this size: immediately, or for a large body after the others of its share. */
  run<T>(share: string | undefined, bytes: number, work: () => T): Promise<T>;
};

const LARGE_BYTES = 64 * 1024;
const MAX_QUEUED = 1_000;
/** Rest before the next body, as a multiple of the last one's duration: its handler takes about as long again. */
const REST = 3;
const MAX_REST_MS = 250;

export function createBodyQueue(): BodyQueue {
  const limiter = createKeyedLimiter({ concurrency: 1, maxQueued: MAX_QUEUED });
  return {
    run: async (share, bytes, work) => {
      if (share === undefined || bytes < LARGE_BYTES) return work();
      const release = await limiter.acquire(share);
      const startedMs = monotonicMs();
      try {
        return work();
      } finally {
        realTimer(Math.min((monotonicMs() - startedMs) * REST, MAX_REST_MS), release);
      }
    },
  };
}
