import { fileURLToPath } from 'node:url';
import { type App, createApp, listen, readLimitsOf } from '@parley/kit/http';
import { createMigrationCheck } from '@parley/kit/migrations';
import { watchKeys } from '@parley/kit/secrets';
import { createCallHistory } from './calls/call-history.store.ts';
import type { Context } from './context.ts';
import { SEALED_COLUMNS } from './secrets/sealed-columns.ts';

const MIGRATIONS = fileURLToPath(new URL('../prisma/migrations', import.meta.url));

/** The HTTP server of a process: probes, metrics and the routes that `mountRoutes` adds. */
export async function startServer(
  context: Context,
  mountRoutes: (app: App) => void = () => {},
): Promise<{ port: number }> {
  const { config, log, metrics, internalTokens, idempotencyStore, prisma, lifecycle, accessTokens } = context;
  const app = createApp({
    service: 'telephony',
    log,
    metrics,
    reads: readLimitsOf(config),
    internalTokens,
    idempotencyStore,
    workspaceOfCallToken: (token) => accessTokens.read(token)?.workspaceId,
    agentOf: { call: createCallHistory(prisma).agentOf },
    // Requests are also served without the broker; messages wait in the outbox.
    readiness: createMigrationCheck(prisma, MIGRATIONS),
  });
  mountRoutes(app);
  watchKeys({ sql: prisma, keys: config.ENCRYPTION_KEYS, columns: SEALED_COLUMNS, log, lifecycle });
  const { ownServer } = context;
  const on = { host: config.HOST, port: config.PORT, drainMs: config.STOP_DRAIN_MS };
  const listening = await listen(app, { ...on, onWebSocket: ownServer.webSocket }, lifecycle);
  ownServer.opened(listening.port);
  return listening;
}
