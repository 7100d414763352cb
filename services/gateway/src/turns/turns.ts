import type { ServerResponse } from 'node:http';
import { realTimer } from '@parley/kit/time';

/** After this time a request mostly waits for something other than a processor, such as its client: it counts no longer. */
const HOLD_MS = 100;
const MAX_WAITING_PER_SHARE = 500;

export type Turns = {
  /**
   * Calls `begin` when a request of the share (a workspace, its public keys, a person, a network) may begin, at once if it needn't wait,
   * and never if the client disconnects first. The request is under way until it leaves, its response has been sent, or 100 ms are over.
   */
  take(shareOf: () => string, res: ServerResponse, begin: () => void): void;
  /** The request is no longer under way: it is about to wait for something other than a processor. */
  leave(res: ServerResponse): void;
  /** Requests that wait. */
  waiting(): number;
  /** The most that were under way at once since the last call. */
  busiest(): number;
};

type Waiting = { res: ServerResponse; begin: () => void };

/**
 * Bounds the requests that are under way at once by `max()`, which may change at any time. The others wait, and their shares take turns:
 * one that sends many requests delays mostly itself (ADR 72).
 */
export function createTurns(max: () => number): Turns {
  /** By share, in the order of their next turns. */
  const queues = new Map<string, Waiting[]>();
  const releases = new WeakMap<ServerResponse, () => void>();
  let waiting = 0;
  let underWay = 0;
  let peak = 0;

  const hold = (res: ServerResponse): void => {
    underWay += 1;
    peak = Math.max(peak, underWay);
    const release = (): void => {
      releases.delete(res);
      res.off('close', release);
      cancel();
      underWay -= 1;
      beginNext();
    };
    const cancel = realTimer(HOLD_MS, release);
    res.once('close', release);
    releases.set(res, release);
  };
  const beginNext = (): void => {
    for (let [next] = queues; next && underWay < max(); [next] = queues) {
      const [share, queue] = next;
      const first = queue.shift();
      queues.delete(share);
      if (queue.length > 0) queues.set(share, queue);
      if (!first) continue;
      waiting -= 1;
      if (first.res.closed) continue;
      hold(first.res);
      first.begin();
    }
  };

  return {
    take: (shareOf, res, begin) => {
      if (waiting === 0 && underWay < max()) {
        hold(res);
        return begin();
      }
      const share = shareOf();
      const queue = queues.get(share) ?? [];
      // Its rate limits refuse the requests of a flood, which must not wait long for that.
      if (queue.length >= MAX_WAITING_PER_SHARE) return begin();
      queues.set(share, queue);
      queue.push({ res, begin });
      waiting += 1;
    },
    leave: (res) => releases.get(res)?.(),
    waiting: () => waiting,
    busiest: () => {
      const most = peak;
      peak = underWay;
      return most;
    },
  };
}
