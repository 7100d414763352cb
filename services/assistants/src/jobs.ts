import { createInboxSweep } from '@parley/kit/inbox';
import { createLoop } from '@parley/kit/jobs';
import type { Context } from './context.ts';

const SWEEP_EVERY_MS = 600_000;

/** Forgets handled messages and idempotency keys that have expired. */
export function startJobs({ prisma, idempotencyStore, log, lifecycle }: Context): void {
  createInboxSweep({ sql: prisma, log, lifecycle });
  createLoop({
    name: 'idempotency sweep',
    everyMs: SWEEP_EVERY_MS,
    run: async () => {
      await idempotencyStore.sweep();
      return false;
    },
    log,
    lifecycle,
  });
}
