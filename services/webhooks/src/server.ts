import { fileURLToPath } from 'node:url';
import { createApp, listen } from '@parley/kit/http';
import { createMigrationCheck } from '@parley/kit/migrations';
import type { Context } from './context.ts';
import { createSlots } from './domain/slots.ts';
import { mountCallWebhooks } from './routes/call-webhooks.ts';
import { mountWebhookEndpoints } from './routes/webhook-endpoints.ts';

const MIGRATIONS = fileURLToPath(new URL('../prisma/migrations', import.meta.url));

/** Requests of one workspace that wait for its endpoints at once, in this process. */
const WAITING_FOR_ENDPOINTS = 8;

export async function startServer(context: Context): Promise<{ port: number }> {
  const { config, lifecycle, log, metrics, internalTokens, prisma } = context;
  const app = createApp({
    service: 'webhooks',
    log,
    metrics,
    internalTokens,
    // Without the broker nothing new arrives, and what is there is delivered all the same.
    readiness: createMigrationCheck(prisma, MIGRATIONS),
  });
  const slots = createSlots(WAITING_FOR_ENDPOINTS);
  mountCallWebhooks(app, { ...context, store: context.deliveries, slots });
  mountWebhookEndpoints(app, { ...context, allowCidrs: config.OUTBOUND_ALLOW_CIDRS, slots });
  const { port } = await listen(
    app,
    { host: config.HOST, port: config.PORT, drainMs: config.STOP_DRAIN_MS },
    lifecycle,
  );
  log.info({ port }, 'webhooks is listening');
  return { port };
}
