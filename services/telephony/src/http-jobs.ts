import { createLoop } from '@parley/kit/jobs';
import type { Context } from './context.ts';

const SWEEP_EVERY_MS = 600_000;

/** What the HTTP part does by itself: forgets idempotency keys after their day (D1.7). */
export function startHttpJobs({ idempotencyStore, log, lifecycle }: Context): void {
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
