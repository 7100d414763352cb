import { type App, createApp, listen } from '@parley/kit/http';
import type { Context } from './context.ts';

/** Starts what `TELEPHONY_ROLE` names; resolves when requests are served. */
export async function startTelephony(context: Context): Promise<{ port: number }> {
  const { config, lifecycle } = context;
  const app = createTelephonyApp(context);
  return listen(app, { host: config.HOST, port: config.PORT }, lifecycle);
}

function createTelephonyApp({ log, metrics, internalTokens, idempotencyStore, prisma }: Context): App {
  return createApp({
    service: 'telephony',
    log,
    metrics,
    internalTokens,
    idempotencyStore,
    // Without the broker requests are served all the same, and messages wait in the outbox.
    readiness: async () => {
      await prisma.$queryRawUnsafe('SELECT 1');
    },
  });
}
