import { forEachLimited } from '@parley/kit/concurrency';
import type { Log } from '@parley/kit/log';
import type { Clock } from '@parley/kit/time';
import type { Transact } from '../../clients/ports.ts';
import { forgetRecordings, lockOldRecordings } from './old-recordings.store.ts';
import { MAX_STORE_REQUESTS, type RecordingStore } from './ports.ts';

export type RemoveOldDeps = {
  transact: Transact;
  store: Pick<RecordingStore, 'remove'>;
  clock: Clock;
  log: Log;
  /** 0: recordings are kept forever. */
  keepDays: number;
};

const DAY_MS = 24 * 3_600_000;
const BATCH = 50;

/**
 * Removes a batch of recordings whose retention has expired. Files are removed before the commit: after a crash the next sweep
 * repeats the batch. True if there may be more.
 */
export async function removeOldRecordings(deps: RemoveOldDeps): Promise<boolean> {
  const { transact, store, clock, log, keepDays } = deps;
  if (keepDays === 0) return false;
  const now = clock.now();
  const before = new Date(now.getTime() - keepDays * DAY_MS);
  const removed = await transact(async (tx) => {
    const callIds: string[] = [];
    const old = await lockOldRecordings(tx, before, BATCH);
    await forEachLimited(old, MAX_STORE_REQUESTS, async ({ callId, key }) => {
      try {
        await store.remove(key);
        callIds.push(callId);
      } catch (err) {
        log.error({ err, callId }, 'an old recording could not be removed');
      }
    });
    if (callIds.length > 0) await forgetRecordings(tx, callIds, now);
    return callIds.length;
  });
  if (removed > 0) log.info({ removed }, 'old recordings removed');
  return removed === BATCH;
}
