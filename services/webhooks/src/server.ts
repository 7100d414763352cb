import { fileURLToPath } from 'node:url';
import { storedBytesOf } from '@parley/contracts';
import { createApp, listen, mount, readLimitsOf } from '@parley/kit/http';
import { createMigrationCheck } from '@parley/kit/migrations';
import { mountRemover, mountRetention } from '@parley/kit/removal';
import { createStoredBytes, type StoredTable } from '@parley/kit/usage';
import { mountAttention } from './attention/routes.ts';
import type { Context } from './context.ts';
import { mountEndpoints } from './endpoints/routes.ts';
import { mountHistory } from './history/routes.ts';
import { mountResend } from './resend/routes.ts';

const MIGRATIONS = fileURLToPath(new URL('../prisma/migrations', import.meta.url));

const STORED_TABLES: readonly StoredTable[] = [
  { name: 'events' },
  { name: 'attempts' },
  { name: 'outbox_contents' },
];

export async function startServer(context: Context): Promise<{ port: number }> {
  const { config, lifecycle, log, metrics, internalTokens, prisma, telephony } = context;
  const app = createApp({
    service: 'webhooks',
    log,
    metrics,
    reads: readLimitsOf(config),
    internalTokens,
    agentOf: { call: telephony.agentOfCall },
    // The broker is not required: without it no events arrive, but stored ones are delivered.
    readiness: createMigrationCheck(prisma, MIGRATIONS),
  });
  mountHistory(app, context);
  mountResend(app, context);
  mountEndpoints(app, context);
  mountAttention(app, context);
  mount(app, storedBytesOf('webhooks'), createStoredBytes(prisma, STORED_TABLES));
  mountRemover(app, 'webhooks', context.remover);
  mountRetention(app, 'webhooks', context.applyRetention);
  const address = { host: config.HOST, port: config.PORT, drainMs: config.STOP_DRAIN_MS };
  const { port } = await listen(app, address, lifecycle);
  log.info({ port }, 'webhooks is listening');
  return { port };
}
