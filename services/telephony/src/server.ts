import { fileURLToPath } from 'node:url';
import { type App, createApp, listen } from '@parley/kit/http';
import { createMigrationCheck } from '@parley/kit/migrations';
import { watchKeys } from '@parley/kit/secrets';
import { startConsumers } from './consumers.ts';
import type { Context } from './context.ts';
import { createHttpDeps, type HttpDeps } from './http-deps.ts';
import { startHttpJobs } from './http-jobs.ts';
import { startWorker } from './jobs.ts';
import { mountCalls } from './routes/calls.ts';
import { mountDoNotCall } from './routes/do-not-call.ts';
import { mountInternal } from './routes/internal.ts';
import { mountPhoneNumbers } from './routes/phone-numbers.ts';
import { mountRecordings } from './routes/recordings.ts';
import { mountSecrets } from './routes/secrets.ts';
import { mountSimulator } from './routes/simulator.ts';
import { mountWebCalls } from './routes/web-calls.ts';
import { createSimulatorDeps } from './simulator-deps.ts';
import { SEALED_COLUMNS } from './store/sealed-columns.ts';

const MIGRATIONS = fileURLToPath(new URL('../prisma/migrations', import.meta.url));

/** Starts what `TELEPHONY_ROLE` names; resolves when requests are served. */
export async function startTelephony(context: Context): Promise<{ port: number }> {
  const { config, prisma, log, lifecycle } = context;
  const app = createTelephonyApp(context);
  if (config.TELEPHONY_ROLE !== 'worker') {
    const deps = createHttpDeps(context);
    mountRoutes(app, deps);
    if (config.NODE_ENV !== 'production') mountSimulator(app, createSimulatorDeps(context));
    startHttpJobs(context, deps);
  }
  if (config.TELEPHONY_ROLE !== 'http') {
    startConsumers(context);
    await startWorker(context, lifecycle);
  }
  watchKeys({ sql: prisma, keys: config.ENCRYPTION_KEYS, columns: SEALED_COLUMNS, log, lifecycle });
  return listen(app, { host: config.HOST, port: config.PORT, drainMs: config.STOP_DRAIN_MS }, lifecycle);
}

function createTelephonyApp({ log, metrics, internalTokens, idempotencyStore, prisma }: Context): App {
  return createApp({
    service: 'telephony',
    log,
    metrics,
    internalTokens,
    idempotencyStore,
    // Without the broker requests are served all the same, and messages wait in the outbox.
    readiness: createMigrationCheck(prisma, MIGRATIONS),
  });
}

function mountRoutes(app: App, deps: HttpDeps): void {
  mountPhoneNumbers(app, deps);
  mountCalls(app, deps);
  mountWebCalls(app, deps);
  mountDoNotCall(app, deps);
  mountRecordings(app, deps);
  mountInternal(app, deps);
  mountSecrets(app, deps);
}
