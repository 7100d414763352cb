import type { ServerResponse } from 'node:http';
import { realTimer } from '@parley/kit/time';

/** After this time a request mostly waits for something other than a processor, such as its client: it counts no longer. */
const HOLD_MS = 100;
const MAX_WAITING_PER_SHARE = 500;

/**
 * Where a request waits, as a path. At each level the names with waiting requests take turns: `['a', 'x']` gets as many turns as all of
 * `['b', …]` together.
 */
export type Share = readonly string[];

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
/** A share's requests, and the shares below it, in the order of their next turns. */
type Level = { requests: Set<Waiting>; shares: Map<string, Level> };

/**
 * Bounds the requests that are under way at once by `max()`, which may change at any time. The others wait, and their shares take turns:
 * one that sends many requests delays mostly itself (ADR 72).
 */
export function createTurns(max: () => number, holdMs = HOLD_MS): Turns {
  const all = emptyLevel();
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
  const beginNext = (): void => {
    while (waiting > 0 && underWay < max()) {
      const next = removeNext(all);
      if (!next) return;
      waiting -= 1;
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
      const { requests } = levelAt(all, shareOf());
      if (requests.size >= MAX_WAITING_PER_SHARE) return 'refused';
      const request = { res, begin };
      requests.add(request);
      waiting += 1;
      // At once: a client that connects again and again would fill the memory before its turns come.
      res.once('close', () => {
        if (!requests.delete(request)) return;
        waiting -= 1;
        // Otherwise their empty shares would stay until requests wait again.
        if (waiting === 0) all.shares.clear();
      });
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

const emptyLevel = (): Level => ({ requests: new Set(), shares: new Map() });

function levelAt(all: Level, share: Share): Level {
  let level = all;
  for (const name of share) {
    const next = level.shares.get(name) ?? emptyLevel();
    level.shares.set(name, next);
    level = next;
  }
  return level;
}

/** Undefined: there is none, neither here nor in a share below. */
function removeNext({ requests, shares }: Level): Waiting | undefined {
  for (const [name, share] of shares) {
    const next = removeNext(share);
    shares.delete(name);
    // To the end: the others come first.
    if (share.requests.size + share.shares.size > 0) shares.set(name, share);
    if (next) return next;
  }
  const [first] = requests;
  if (first) requests.delete(first);
  return first;
}
