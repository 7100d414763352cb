import { createJobLoop } from '../concurrency/index.ts';
import type { Lifecycle } from '../lifecycle/index.ts';
import type { Log } from '../log/index.ts';
import type { IdempotencyStore } from './store.ts';

const EVERY_MS = 600_000;

type Deps = { store: Pick<IdempotencyStore, 'sweep'>; log: Log; lifecycle: Lifecycle };

/** Deletes expired responses. Every replica may run it. */
export function createIdempotencySweep({ store, log, lifecycle }: Deps): void {
  createJobLoop({
    name: 'idempotency sweep',
    everyMs: EVERY_MS,
    run: async () => {
      await store.sweep();
      return false;
    },
    log,
    lifecycle,
  });
}
