import { fileURLToPath } from 'node:url';
import { createApp, listen } from '@parley/kit/http';
import { createMigrationCheck } from '@parley/kit/migrations';
import type { Context } from './context.ts';
import { mountCampaigns } from './routes/campaigns.ts';
import { mountInternal } from './routes/internal.ts';

const MIGRATIONS = fileURLToPath(new URL('../prisma/migrations', import.meta.url));

export async function startServer(context: Context): Promise<{ port: number }> {
  const { config, log, metrics, internalTokens, idempotencyStore, lifecycle } = context;
  const app = createApp({
    service: 'campaigns',
    log,
    metrics,
    internalTokens,
    idempotencyStore,
    // Not the broker: without it requests go on, and what they say waits in the outbox.
    readiness: createMigrationCheck(context.prisma, MIGRATIONS),
  });
  mountCampaigns(app, context);
  mountInternal(app, context);
  return listen(app, { host: config.HOST, port: config.PORT, drainMs: config.STOP_DRAIN_MS }, lifecycle);
}
