import { createLoop } from '@parley/kit/jobs';
import { watchKeys } from '@parley/kit/secrets';
import type { Context } from './context.ts';
import { SEALED_COLUMNS } from './store/sealed-columns.ts';

const KEY_USE_EVERY_MS = 5_000;

/** Looks for lost encryption keys, and writes when keys were used, all at once; the last time right before the database is left. */
export function startJobs({ config, prisma, keyUse, lifecycle, log }: Context): void {
  watchKeys({ sql: prisma, keys: config.ENCRYPTION_KEYS, columns: SEALED_COLUMNS, log, lifecycle });
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
