import { newId } from '@parley/kit/ids';
import type { Log } from '@parley/kit/log';
import { monotonicMs } from '@parley/kit/time';
import type { Workers } from './ports.ts';

/** Real time: a worker that is not heard of for so long is dead, and its calls are taken over. */
export const LEASE_MS = 2_000;
export const BEAT_EVERY_MS = 500;

export type Lease = {
  workerId: string;
  /** One heartbeat. False: it came so late that others may have taken calls over meanwhile. */
  beat(): Promise<boolean>;
  /** Nobody has to wait for the lease to run out. */
  resign(): Promise<void>;
};

export function createLease({ workers, log }: { workers: Workers; log: Log }): Lease {
  const workerId = newId();
  let lastMs: number | undefined;
  return {
    workerId,
    beat: async () => {
      const beganMs = monotonicMs();
      await workers.beat(workerId, LEASE_MS);
      const inTime = lastMs === undefined || monotonicMs() - lastMs < LEASE_MS;
      if (!inTime) log.warn({ workerId }, 'heartbeat came late');
      lastMs = beganMs;
      return inTime;
    },
    resign: () => workers.resign(workerId),
  };
}
