import { createInboxSweep } from '@parley/kit/inbox';
import { createLoop } from '@parley/kit/jobs';
import type { Context } from './context.ts';
import { attemptDelivery } from './domain/delivery/attempt-delivery.ts';
import { createDeliverer, type Deliverer } from './domain/delivery/deliverer.ts';
import { keepHistory } from './domain/delivery/keep-history.ts';

/** A quarter of a day of the stack's clock, within reason. */
const HISTORY_EVERY = { stackMs: 6 * 3_600_000, leastMs: 1_000, mostMs: 3_600_000 };

export function startJobs(context: Context): Deliverer {
  const { config, deliveries: store, clock, log, lifecycle, prisma } = context;
  createInboxSweep({ sql: prisma, log, lifecycle });
  const { stackMs, leastMs, mostMs } = HISTORY_EVERY;
  const everyMs = Math.min(mostMs, Math.max(leastMs, clock.toRealMs(stackMs)));
  const keep = { attemptsDays: config.ATTEMPTS_KEEP_DAYS, eventsDays: config.EVENTS_KEEP_DAYS };
  createLoop({
    name: 'history',
    everyMs,
    run: () => keepHistory(context, { keep, everyMs }),
    log,
    lifecycle,
  });
  const deps = { ...context, store };
  return createDeliverer({
    store,
    attempt: (claim) => attemptDelivery(deps, claim),
    concurrency: config.DELIVERY_CONCURRENCY,
    clock,
    log,
    lifecycle,
  });
}
