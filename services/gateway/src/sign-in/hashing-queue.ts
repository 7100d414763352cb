import { AppError } from '@parley/kit/errors';
import { monotonicMs } from '@parley/kit/time';

export type QueueLimits = { concurrency: number; maxWaiting: number; maxPerLane: number; maxWaitMs: number };

/** In the order of service. */
const PRIORITIES = ['known', 'new', 'suspect'] as const;
export type Priority = (typeof PRIORITIES)[number];
export type Place = { priority: Priority; lane: string };
export type HashingQueue = <T>(place: Place, task: () => Promise<T>) => Promise<T>;

type Waiter = { start: () => void; reject: (err: AppError) => void; expiresAtMs: number };

/**
 * Runs at most `concurrency` tasks; the others wait in lanes. Higher priorities are served first; lanes of one
 * priority are served round-robin, so that a long lane delays only itself. Rejected with 503 and `Retry-After` are:
 * newcomers to a full lane, waiters after `maxWaitMs`, and in a full queue the newest waiter of the longest lane of
 * the lowest priority, or the newcomer if that lane is not longer than its own.
 */
export function createHashingQueue(
  { concurrency, maxWaiting, maxPerLane, maxWaitMs }: QueueLimits,
  nowMs: () => number = monotonicMs,
): HashingQueue {
  const lanesOf = { known: new Map(), new: new Map(), suspect: new Map() } as Record<
    Priority,
    Map<string, Waiter[]>
  >;
  let running = 0;
  let waiting = 0;

  const evictWaiter = ({ priority, lane }: Place): void => {
    const lowest = PRIORITIES.findLast((one) => lanesOf[one].size > 0) ?? priority;
    if (PRIORITIES.indexOf(lowest) < PRIORITIES.indexOf(priority)) throw busy();
    let longest: [string, Waiter[]] = ['', []];
    for (const entry of lanesOf[lowest]) if (entry[1].length >= longest[1].length) longest = entry;
    const own = lanesOf[priority].get(lane)?.length ?? 0;
    if (lowest === priority && longest[1].length <= own + 1) throw busy();
    longest[1].pop()?.reject(busy());
    if (longest[1].length === 0) lanesOf[lowest].delete(longest[0]);
    waiting -= 1;
  };

  const wait = (place: Place): Promise<void> => {
    const lanes = lanesOf[place.priority];
    if ((lanes.get(place.lane)?.length ?? 0) >= maxPerLane) throw busy();
    if (waiting >= maxWaiting) evictWaiter(place);
    const lane = lanes.get(place.lane) ?? [];
    lanes.set(place.lane, lane);
    waiting += 1;
    return new Promise((start, reject) => lane.push({ start, reject, expiresAtMs: nowMs() + maxWaitMs }));
  };

  const rejectExpired = (): void => {
    for (const lanes of Object.values(lanesOf)) {
      for (const [name, lane] of lanes) {
        while (lane[0] && lane[0].expiresAtMs <= nowMs()) {
          lane.shift()?.reject(busy());
          waiting -= 1;
        }
        if (lane.length === 0) lanes.delete(name);
      }
    }
  };

  /** The first waiter of the next lane, which then moves to the end of the round. */
  const next = (): Waiter | undefined => {
    for (const priority of PRIORITIES) {
      const lanes = lanesOf[priority];
      for (const [name, lane] of lanes) {
        const first = lane.shift();
        lanes.delete(name);
        if (lane.length > 0) lanes.set(name, lane);
        waiting -= 1;
        return first;
      }
    }
    return undefined;
  };

  const startNext = (): void => {
    rejectExpired();
    const waiter = next();
    if (waiter) waiter.start();
    else running -= 1;
  };

  return async (place, task) => {
    if (running < concurrency) running += 1;
    else await wait(place);
    try {
      return await task();
    } finally {
      startNext();
    }
  };
}

function busy(): AppError {
  return new AppError('SERVICE_UNAVAILABLE', 'Too many people are signing in; try again in a moment', {
    retryAfterSeconds: 2,
  });
}
