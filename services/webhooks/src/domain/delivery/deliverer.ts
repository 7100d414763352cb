import { createLoop } from '@parley/kit/jobs';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';
import type { Clock } from '@parley/kit/time';
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

/**
 * Keeps up to `concurrency` attempts under way: claims as many as there is room for, and claims again whenever one
 * ends and at the very instant at which the next one is due (D8.2: a poll would be late where the clock runs fast).
 * Nothing here decides an order: what may go is decided by the claim.
 */
export function createDeliverer({ store, attempt, concurrency, clock, log, lifecycle }: Deps): Deliverer {
  const underWay = new Set<Promise<void>>();
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
    const delivery = deliver(claim).finally(() => {
      underWay.delete(delivery);
      loop.wake();
    });
    underWay.add(delivery);
  };

  const wakeWhenDue = async (now: Date): Promise<void> => {
    cancelTimer();
    const waitMs = ((await store.nextDueAt(now))?.getTime() ?? Number.POSITIVE_INFINITY) - now.getTime();
    if (clock.toRealMs(waitMs) < POLL_MS) cancelTimer = clock.timer(waitMs, () => loop.wake());
  };

  const loop = createLoop({
    name: 'deliveries',
    everyMs: POLL_MS,
    run: async () => {
      const room = concurrency - underWay.size;
      if (room === 0) return false;
      const now = clock.now();
      const claims = await store.claim(room, now);
      for (const claim of claims) start(claim);
      if (claims.length === room) return true;
      await wakeWhenDue(now);
      return false;
    },
    log,
    lifecycle,
  });
  return loop;
}
