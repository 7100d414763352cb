import { retry } from '@parley/kit/concurrency';
import { newId } from '@parley/kit/ids';
import type { Log } from '@parley/kit/log';
import { monotonicMs } from '@parley/kit/time';
import type { Heartbeat } from './worker-ports.ts';

/** Real time: without a heartbeat for this long a worker counts as dead, and its calls are taken over. */
export const LEASE_MS = 2_000;
export const BEAT_EVERY_MS = 500;

export type Lease = {
  workerId: string;
  /** Sends a heartbeat. False: it was late, and other workers may have taken calls over. */
  beat(): Promise<boolean>;
  /** Whether no worker can have taken a call over since the last heartbeat. */
  isLive(): boolean;
  /** Returns whether it has been live ever since this call of `watch`. */
  watch(): () => boolean;
  /** Releases the lease before it expires. `failed`: the process ends because of an error. */
  resign(stop: { failed: boolean }): Promise<void>;
};

/**
 * Sends the first heartbeat. Waits as long as the database is unavailable or not migrated, while the process is alive and not
 * ready. Rejects once `signal` aborts.
 */
export async function beginLease(
  lease: Pick<Lease, 'beat'>,
  { log, signal }: { log: Log; signal: AbortSignal },
): Promise<void> {
  await retry(() => lease.beat(), {
    signal,
    onFailure: (err, failures) => {
      if (failures === 1) log.warn({ err }, 'waiting for the database');
    },
    delayMs: () => BEAT_EVERY_MS,
  });
}

export type LeaseDeps = { heartbeat: Heartbeat; log: Log; nowMs?: () => number };

export function createLease({ heartbeat, log, nowMs = monotonicMs }: LeaseDeps): Lease {
  const workerId = newId();
  /** The start of the last successful heartbeat: the database counts the lease from a later instant. */
  let lastMs: number | undefined;
  let lateBeats = 0;
  const isLive = (): boolean => lastMs !== undefined && nowMs() - lastMs < LEASE_MS;
  return {
    workerId,
    isLive,
    watch: () => {
      const before = lateBeats;
      return () => lateBeats === before && isLive();
    },
    beat: async () => {
      const beganMs = nowMs();
      await heartbeat.beat(workerId, LEASE_MS);
      const inTime = lastMs === undefined || isLive();
      if (!inTime) {
        lateBeats += 1;
        log.warn({ workerId }, 'heartbeat came late');
      }
      lastMs = beganMs;
      return inTime;
    },
    resign: async ({ failed }) => {
      lastMs = undefined;
      await heartbeat.resign(workerId, { handsOver: !failed });
    },
  };
}
