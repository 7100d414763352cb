import { createLoop } from '@parley/kit/jobs';
import type { Context } from './context.ts';

const KEY_USE_EVERY_MS = 5_000;

/** Writes when keys were used, all at once; the last time right before the database is left. */
export function startJobs({ keyUse, lifecycle, log }: Context): void {
  lifecycle.onStop('key use', keyUse.flush);
  createLoop({
    name: 'key use',
    everyMs: KEY_USE_EVERY_MS,
    run: async () => {
      await keyUse.flush();
      return false;
    },
    lifecycle,
    log,
  });
}
