import { createLoop } from '@parley/kit/jobs';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';
import { type Clock, monotonicMs, realSleep } from '@parley/kit/time';
import type { Claim, DeliveryStore } from './ports.ts';

type Deps = {
  store: DeliveryStore;
  attempt: (claim: Claim) => Promise<void>;
  concurrency: number;
  clock: Clock;
  log: Log;
  lifecycle: Lifecycle;
};

export type Deliverer = {
  /** Something may be due now. */
  wake(): void;
};

/** How late an event may be noticed that another process made due, or whose deliverer died; real time. */
const POLL_MS = 500;
/** Claims are no closer together, so that under load one serves all that became due or free meanwhile; real time. */
const GATHER_MS = 5;

/**
 * Keeps up to `concurrency` attempts under way: claims as many as there is room for, and claims again whenever one
 * ends and at the very instant at which the next one is due (D8.2: a poll would be late where the clock runs fast).
 * Half of the attempts at most are made at endpoints that don't answer in time: however many those are, the others have the
 * other half (D8.8). Nothing here decides an order: what may go is decided by the claim.
 */
export function createDeliverer({ store, attempt, concurrency, clock, log, lifecycle }: Deps): Deliverer {
  const underWay = new Set<Promise<void>>();
  let unresponsive = 0;
  let cancelTimer = (): void => {};
  // The loop, which is registered last, stops first: no new claims, then what is under way is finished.
  lifecycle.onStop('deliveries', async () => {
    cancelTimer();
    await Promise.allSettled(underWay);
  });

  const deliver = async (claim: Claim): Promise<void> => {
    try {
      await attempt(claim);
    } catch (err) {
      // Its lease runs out, and then it is anybody's.
      log.error({ err, eventId: claim.id }, 'attempt was not recorded');
    }
  };

  const start = (claim: Claim): void => {
    unresponsive += Number(claim.unresponsive);
    const delivery = deliver(claim).finally(() => {
      unresponsive -= Number(claim.unresponsive);
      underWay.delete(delivery);
      loop.wake();
    });
    underWay.add(delivery);
  };

  const wakeWhenDue = (now: Date, dueAt: Date | undefined): void => {
    cancelTimer();
    const waitMs = (dueAt?.getTime() ?? Number.POSITIVE_INFINITY) - now.getTime();
    if (clock.toRealMs(waitMs) < POLL_MS) cancelTimer = clock.timer(waitMs, () => loop.wake());
  };

  let claimedAtMs = Number.NEGATIVE_INFINITY;
  const gather = async (signal: AbortSignal): Promise<void> => {
    const waitMs = claimedAtMs + GATHER_MS - monotonicMs();
    if (waitMs > 0) await realSleep(waitMs, signal).catch(() => {});
  };

  const loop = createLoop({
    name: 'deliveries',
    everyMs: POLL_MS,
    run: async (signal) => {
      await gather(signal);
      const room = concurrency - underWay.size;
      if (room === 0 || signal.aborted) return false;
      const now = clock.now();
      const dueAt = await store.markDue(now);
      const claims = await store.claim(room, Math.max(0, Math.ceil(concurrency / 2) - unresponsive));
      claimedAtMs = monotonicMs();
      for (const claim of claims) start(claim);
      if (claims.length === room) return true;
      wakeWhenDue(now, dueAt);
      return false;
    },
    log,
    lifecycle,
  });
  createLoop({
    name: 'expired leases',
    everyMs: POLL_MS,
    run: async () => {
      await store.freeExpired();
      return false;
    },
    log,
    lifecycle,
  });
  return loop;
}
