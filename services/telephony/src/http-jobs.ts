import { createLoop } from '@parley/kit/jobs';
import type { Context } from './context.ts';
import { removeTrunks } from './domain/numbers/remove-trunks.ts';
import type { HttpDeps } from './http-deps.ts';

const SWEEP_EVERY_MS = 600_000;
const TRUNKS_EVERY_MS = 2_000;

/** What the HTTP part does by itself: forgets idempotency keys after their day (D1.7), takes down trunks of deleted numbers. */
export function startHttpJobs({ idempotencyStore, clock, log, lifecycle }: Context, deps: HttpDeps): void {
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
  const { carrierNumbers, trunkRemovals } = deps;
  createLoop({
    name: 'trunks of deleted numbers',
    everyMs: TRUNKS_EVERY_MS,
    run: () => removeTrunks({ carrierNumbers, trunkRemovals, clock, log }),
    log,
    lifecycle,
  });
}
