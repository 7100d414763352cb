import { newId } from '@parley/kit/ids';
import type { Log } from '@parley/kit/log';
import { monotonicMs, realSleep } from '@parley/kit/time';
import type { Heartbeat } from './ports.ts';

/** Real time: a worker that is not heard of for so long is dead, and its calls are taken over. */
export const LEASE_MS = 2_000;
export const BEAT_EVERY_MS = 500;

export type Lease = {
  workerId: string;
  /** One heartbeat. False: it came so late that others may have taken calls over meanwhile. */
  beat(): Promise<boolean>;
  /** Whether nobody can have taken a call over since the last heartbeat. */
  isLive(): boolean;
  /** Nobody has to wait for the lease to run out. */
  resign(): Promise<void>;
};

const FIRST_TRIES = 10;

/** The first heartbeat. A database in a rush may take longer to connect than a heartbeat may: it is asked again. */
export async function beginLease(lease: Pick<Lease, 'beat'>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await lease.beat();
      return;
    } catch (err) {
      if (tries === FIRST_TRIES) throw err;
    }
    await realSleep(BEAT_EVERY_MS);
  }
}

export type LeaseDeps = { heartbeat: Heartbeat; log: Log; nowMs?: () => number };

export function createLease({ heartbeat, log, nowMs = monotonicMs }: LeaseDeps): Lease {
  const workerId = newId();
  /** When the last heartbeat that got through began: the database counts the lease from a later instant. */
  let lastMs: number | undefined;
  const isLive = (): boolean => lastMs !== undefined && nowMs() - lastMs < LEASE_MS;
  return {
    workerId,
    isLive,
    beat: async () => {
      const beganMs = nowMs();
      await heartbeat.beat(workerId, LEASE_MS);
      const inTime = lastMs === undefined || isLive();
      if (!inTime) log.warn({ workerId }, 'heartbeat came late');
      lastMs = beganMs;
      return inTime;
    },
    resign: async () => {
      lastMs = undefined;
      await heartbeat.resign(workerId);
    },
  };
}
