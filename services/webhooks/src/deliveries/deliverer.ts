import { createJobLoop } from '@parley/kit/concurrency';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';
import { type Clock, monotonicMs, realSleep } from '@parley/kit/time';
import { type Claim, MAX_CLAIM_BYTES } from './claim-due.ts';
import type { DeliveryStore } from './deliveries.store.ts';

type Deps = {
  store: DeliveryStore;
  deliver: (claim: Claim) => Promise<void>;
  concurrency: number;
  clock: Clock;
  log: Log;
  lifecycle: Lifecycle;
};

export type Deliverer = {
  /** Something may be due now. */
  wake(): void;
};

/** Polling interval for events that another process made due, and for expired leases; real time. */
const POLL_MS = 500;
/** Minimum interval between claims, so that under load one claim fills all slots that have become free; real time. */
const CLAIM_INTERVAL_MS = 5;

/**
 * Keeps up to `concurrency` attempts in progress. It claims events for all free slots whenever an attempt ends, and when the next
 * event becomes due: polling would be late with a fast clock [webhooks.10]. At most half of the attempts go to endpoints that
 * time out [webhooks.16], and the total size of the bodies in memory is bounded. `claim-due.ts` decides the order.
 */
export function createDeliverer({ store, deliver, concurrency, clock, log, lifecycle }: Deps): Deliverer {
  const inProgress = new Set<Promise<void>>();
  let unresponsive = 0;
  let bytes = 0;
  let cancelTimer = (): void => {};
  // Registered before the loop, so it runs after it: no new claims, then the attempts in progress finish.
  lifecycle.onStop('deliveries', async () => {
    cancelTimer();
    await Promise.allSettled(inProgress);
  });

  const attempt = async (claim: Claim): Promise<void> => {
    try {
      await deliver(claim);
    } catch (err) {
      // Its lease expires, and another claim gets it.
      log.error({ err, eventId: claim.id }, 'attempt was not recorded');
    }
  };

  const start = (claim: Claim): void => {
    unresponsive += Number(claim.unresponsive);
    bytes += claim.body.length;
    const delivery = attempt(claim).finally(() => {
      unresponsive -= Number(claim.unresponsive);
      bytes -= claim.body.length;
      inProgress.delete(delivery);
      loop.wake();
    });
    inProgress.add(delivery);
  };

  const wakeWhenDue = (now: Date, dueAt: Date | undefined): void => {
    cancelTimer();
    const waitMs = (dueAt?.getTime() ?? Number.POSITIVE_INFINITY) - now.getTime();
    if (clock.toRealMs(waitMs) < POLL_MS) cancelTimer = clock.timer(waitMs, () => loop.wake());
  };

  let claimedAtMs = Number.NEGATIVE_INFINITY;
  const spaceClaims = async (signal: AbortSignal): Promise<void> => {
    const waitMs = claimedAtMs + CLAIM_INTERVAL_MS - monotonicMs();
    if (waitMs > 0) await realSleep(waitMs, signal).catch(() => {});
  };

  const loop = createJobLoop({
    name: 'deliveries',
    everyMs: POLL_MS,
    run: async (signal) => {
      await spaceClaims(signal);
      const freeSlots = concurrency - inProgress.size;
      const bytesLeft = MAX_CLAIM_BYTES - bytes;
      if (freeSlots === 0 || bytesLeft <= 0 || signal.aborted) return false;
      const now = clock.now();
      const { anyReady, nextDueAt } = await store.markDue(now);
      const unresponsiveLeft = Math.max(0, Math.ceil(concurrency / 2) - unresponsive);
      const claims = anyReady ? await store.claim(freeSlots, unresponsiveLeft, bytesLeft) : [];
      claimedAtMs = monotonicMs();
      for (const claim of claims) start(claim);
      if (claims.length === freeSlots) return true;
      wakeWhenDue(now, nextDueAt);
      return false;
    },
    log,
    lifecycle,
  });
  createJobLoop({
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
