import type { ServerResponse } from 'node:http';
import { realTimer } from '@parley/kit/time';

/** After this time a request mostly waits for something other than a processor, such as its client: it counts no longer. */
const HOLD_MS = 100;
const MAX_WAITING_PER_SHARE = 500;

export type Share = {
  name: string;
  /** Of a workspace. A client can have any number of the other ones: networks, and people who have selected no workspace. */
  ofWorkspace: boolean;
};

export type Turns = {
  /**
   * Calls `begin` when a request of the share may begin: at once if it needn't wait (`begun`), later or, if the client disconnects first,
   * never (`waits`). `refused`: too many of its share wait. The request is under way until it leaves, its response has been sent, or 100 ms are over.
   */
  take(shareOf: () => Share, res: ServerResponse, begin: () => void): 'begun' | 'waits' | 'refused';
  /** The request is no longer under way: it is about to wait for something other than a processor. */
  leave(res: ServerResponse): void;
  /** Requests that wait. */
  waiting(): number;
  /** The most that were under way at once since the last call. */
  busiest(): number;
};

type Waiting = { res: ServerResponse; begin: () => void };
/** By share, in the order of their next turns. */
type Rotation = Map<string, Waiting[]>;

/**
 * Bounds the requests that are under way at once by `max()`, which may change at any time. The others wait, and their shares take turns:
 * one that sends many requests delays mostly itself. All shares that are not of workspaces together get at most every second turn (ADR 72).
 */
export function createTurns(max: () => number, holdMs = HOLD_MS): Turns {
  const workspaces: Rotation = new Map();
  const others: Rotation = new Map();
  let last = others;
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
    const cancel = realTimer(holdMs, release);
    res.once('close', release);
    releases.set(res, release);
  };
  const removeNext = (): Waiting | undefined => {
    const due = last === others ? workspaces : others;
    if (due.size > 0) last = due;
    const [next] = last;
    if (!next) return undefined;
    const [share, queue] = next;
    last.delete(share);
    const first = queue.shift();
    if (queue.length > 0) last.set(share, queue);
    waiting -= 1;
    return first;
  };
  const beginNext = (): void => {
    while (waiting > 0 && underWay < max()) {
      const next = removeNext();
      if (!next || next.res.closed) continue;
      hold(next.res);
      next.begin();
    }
  };

  return {
    take: (shareOf, res, begin) => {
      if (waiting === 0 && underWay < max()) {
        hold(res);
        begin();
        return 'begun';
      }
      const { name, ofWorkspace } = shareOf();
      const rotation = ofWorkspace ? workspaces : others;
      const queue = rotation.get(name) ?? [];
      if (queue.length >= MAX_WAITING_PER_SHARE) return 'refused';
      rotation.set(name, queue);
      queue.push({ res, begin });
      waiting += 1;
      return 'waits';
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
