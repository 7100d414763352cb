import { createApp, listen } from '@parley/kit/http';
import type { Context } from './context.ts';
import { mountCampaigns } from './routes/campaigns.ts';
import { mountInternal } from './routes/internal.ts';

/** Not the broker: without it requests go on, and what they say waits in the outbox. */
const readiness =
  ({ prisma }: Context) =>
  async (): Promise<void> => {
    await prisma.$queryRawUnsafe('SELECT 1');
  };

export async function startServer(context: Context): Promise<{ port: number }> {
  const { config, log, metrics, internalTokens, idempotencyStore, lifecycle } = context;
  const app = createApp({
    service: 'campaigns',
    log,
    metrics,
    internalTokens,
    idempotencyStore,
    readiness: readiness(context),
  });
  mountCampaigns(app, context);
  mountInternal(app, context);
  return listen(app, { host: config.HOST, port: config.PORT }, lifecycle);
}
