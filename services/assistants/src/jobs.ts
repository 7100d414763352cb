import { createJobLoop } from '@parley/kit/concurrency';
import { createIdempotencySweep } from '@parley/kit/idempotency';
import { createInboxSweep } from '@parley/kit/inbox';
import { watchKeys } from '@parley/kit/secrets';
import type { Context } from './context.ts';
import { rebuildNumberLinks } from './numbers/rebuild-number-links.ts';
import { SEALED_COLUMNS } from './secrets/sealed-columns.ts';

const REBUILD_EVERY_MS = 3_600_000;
const FREE_EVERY_MS = 10_000;
/** Documents of deleted knowledge bases per batch: a large one has a thousand passages. */
const DOCUMENTS_FREED = 20;

/** Jobs of every replica; they can run concurrently. */
export function startJobs(context: Context): void {
  const { config, prisma, idempotencyStore, knowledgeBases, log, lifecycle } = context;
  watchKeys({ sql: prisma, keys: config.ENCRYPTION_KEYS, columns: SEALED_COLUMNS, log, lifecycle });
  createInboxSweep({ sql: prisma, log, lifecycle });
  createIdempotencySweep({ store: idempotencyStore, log, lifecycle });
  createJobLoop({
    name: 'deleted knowledge bases',
    everyMs: FREE_EVERY_MS,
    run: () => knowledgeBases.sweep(DOCUMENTS_FREED),
    log,
    lifecycle,
  });
  // Repairs the copy of the numbers if messages were lost.
  let after: string | null = null;
  createJobLoop({
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
