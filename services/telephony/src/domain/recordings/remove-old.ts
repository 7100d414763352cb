import type { Sql } from '@parley/kit/db';
import type { Log } from '@parley/kit/log';
import type { Clock } from '@parley/kit/time';
import type { Transact } from '../ports.ts';
import type { OldRecordings, RecordingStore } from './ports.ts';

export type RemoveOldDeps = {
  transact: Transact;
  old: OldRecordings;
  store: Pick<RecordingStore, 'remove'>;
  clock: Clock;
  log: Log;
  /** 0: recordings are kept for ever. */
  keepDays: number;
};

const DAY_MS = 24 * 3_600_000;
/** One transaction takes so many. */
const BATCH = 50;

/**
 * Removes recordings of calls that ended too long ago. A batch is held by its transaction, so that sweeps of several
 * workers share the work; the file goes first, and a sweep that dies in between is made up for by the next. True: there
 * may be more.
 */
export async function removeOldRecordings({ transact, keepDays, ...deps }: RemoveOldDeps): Promise<boolean> {
  if (keepDays === 0) return false;
  const now = deps.clock.now();
  const before = new Date(now.getTime() - keepDays * DAY_MS);
  const removed = await transact((tx) => removeBatch(deps, tx, { before, now }));
  if (removed > 0) deps.log.info({ removed }, 'old recordings removed');
  return removed === BATCH;
}

async function removeBatch(
  { old, store, log }: Omit<RemoveOldDeps, 'transact' | 'keepDays'>,
  tx: Sql,
  { before, now }: { before: Date; now: Date },
): Promise<number> {
  const gone: string[] = [];
  for (const { callId, key } of await old.hold(tx, before, BATCH)) {
    try {
      await store.remove(key);
      gone.push(callId);
    } catch (err) {
      log.error({ err, callId }, 'an old recording could not be removed');
    }
  }
  await old.forget(tx, gone, now);
  return gone.length;
}
