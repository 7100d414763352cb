import { createInboxSweep } from '@parley/kit/inbox';
import { createLoop } from '@parley/kit/jobs';
import { watchKeys } from '@parley/kit/secrets';
import type { Context } from './context.ts';
import { rebuildNumberLinks } from './domain/numbers/rebuild-number-links.ts';
import { SEALED_COLUMNS } from './store/sealed-columns.ts';

const SWEEP_EVERY_MS = 600_000;
const REBUILD_EVERY_MS = 3_600_000;
const FREE_EVERY_MS = 10_000;
/** Of a deleted knowledge base at a time: a large one has a thousand passages. */
const DOCUMENTS_FREED = 20;

/** What every replica does by itself: any number of them may do it at the same moment. */
export function startJobs(context: Context): void {
  const { config, prisma, idempotencyStore, knowledgeBases, log, lifecycle } = context;
  watchKeys({ sql: prisma, keys: config.ENCRYPTION_KEYS, columns: SEALED_COLUMNS, log, lifecycle });
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
  createLoop({
    name: 'deleted knowledge bases',
    everyMs: FREE_EVERY_MS,
    run: () => knowledgeBases.sweep(DOCUMENTS_FREED),
    log,
    lifecycle,
  });
  // Messages keep the copy of the numbers right; this heals it if ever one was lost.
  let after: string | null = null;
  createLoop({
    name: 'number links',
    everyMs: REBUILD_EVERY_MS,
    run: async () => {
      after = (await rebuildNumberLinks(context, after)).next;
      return after !== null;
    },
    log,
    lifecycle,
  });
}
