import { createJobLoop } from '@parley/kit/concurrency';
import { createInboxSweep } from '@parley/kit/inbox';
import type { Context } from './context.ts';
import { deliver } from './deliveries/deliver.ts';
import { createDeliverer, type Deliverer } from './deliveries/deliverer.ts';
import { cleanUp } from './retention/clean-up.ts';

/** A quarter of a day of the stack's clock, within real limits. */
const CLEAN_UP_INTERVAL = { stackMs: 6 * 3_600_000, minMs: 1_000, maxMs: 3_600_000 };

export function startJobs(context: Context): Deliverer {
  const { config, deliveries: store, clock, log, lifecycle, prisma } = context;
  createInboxSweep({ sql: prisma, log, lifecycle });
  const { stackMs, minMs, maxMs } = CLEAN_UP_INTERVAL;
  const everyMs = Math.min(maxMs, Math.max(minMs, clock.toRealMs(stackMs)));
  const keep = { attemptsDays: config.ATTEMPTS_KEEP_DAYS, eventsDays: config.EVENTS_KEEP_DAYS };
  createJobLoop({ name: 'history', everyMs, run: () => cleanUp(context, { keep, everyMs }), log, lifecycle });
  return createDeliverer({
    store,
    deliver: (claim) => deliver(context, claim),
    concurrency: config.DELIVERY_CONCURRENCY,
    clock,
    log,
    lifecycle,
  });
}
