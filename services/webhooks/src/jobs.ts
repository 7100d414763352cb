import { createInboxSweep } from '@parley/kit/inbox';
import type { Context } from './context.ts';
import { attemptDelivery } from './domain/delivery/attempt-delivery.ts';
import { createDeliverer, type Deliverer } from './domain/delivery/deliverer.ts';

export function startJobs(context: Context): Deliverer {
  const { config, deliveries: store, clock, log, lifecycle, prisma } = context;
  createInboxSweep({ sql: prisma, log, lifecycle });
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
