import { createLoop } from '@parley/kit/jobs';
import { watchKeys } from '@parley/kit/secrets';
import type { Context } from './context.ts';
import { sessionLifeOf } from './session-life.ts';
import { SEALED_COLUMNS } from './store/sealed-columns.ts';

const USE_EVERY_MS = 5_000;
const SWEEP_EVERY_MS = 60_000;

/** Looks for lost encryption keys, writes when keys and sessions were used, and forgets what is over. */
export function startJobs(context: Context): void {
  const { config, prisma, lifecycle, log } = context;
  watchKeys({ sql: prisma, keys: config.ENCRYPTION_KEYS, columns: SEALED_COLUMNS, log, lifecycle });
  writeUses(context);
  createLoop({
    name: 'sweep',
    everyMs: SWEEP_EVERY_MS,
    run: async () => {
      const now = context.clock.now();
      const idleSince = new Date(now.getTime() - sessionLifeOf(config).idleMs);
      await context.sessionStore.sweep(now, idleSince);
      await context.idempotencyStore.sweep();
      return false;
    },
    lifecycle,
    log,
  });
}

/** All uses at once; the last time right before the database is left. */
function writeUses({ keyUse, sessionUse, lifecycle, log }: Context): void {
  const flush = async (): Promise<void> => {
    await keyUse.flush();
    await sessionUse.flush();
  };
  lifecycle.onStop('uses', flush);
  createLoop({
    name: 'uses',
    everyMs: USE_EVERY_MS,
    run: async () => {
      await flush();
      return false;
    },
    lifecycle,
    log,
  });
}
