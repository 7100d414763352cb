import { fileURLToPath } from 'node:url';
import { attentionOf, storedBytesOf } from '@parley/contracts';
import { createApp, listen, mount, readLimitsOf } from '@parley/kit/http';
import { createMigrationCheck } from '@parley/kit/migrations';
import { createFindUnpublished, mountOutbox } from '@parley/kit/outbox';
import { mountRemover, mountRetention } from '@parley/kit/removal';
import { createStoredBytes, type StoredTable } from '@parley/kit/usage';
import { mountCampaigns } from './campaigns/routes.ts';
import type { Context } from './context.ts';
import { mountRetirements } from './retirements/routes.ts';

const MIGRATIONS = fileURLToPath(new URL('../prisma/migrations', import.meta.url));

const STORED_TABLES: readonly StoredTable[] = [
  {
    name: 'contacts',
    parent: {
      column: 'campaign_id',
      join: 'JOIN campaigns c ON c.id = t.campaign_id',
      workspace: 'c.workspace_id',
    },
  },
  { name: 'attempts' },
  { name: 'idempotency_keys' },
  { name: 'outbox_contents' },
];

export async function startServer(context: Context): Promise<{ port: number }> {
  const { config, log, metrics, internalTokens, idempotencyStore, lifecycle } = context;
  const app = createApp({
    service: 'campaigns',
    log,
    metrics,
    reads: readLimitsOf(config),
    internalTokens,
    idempotencyStore,
    agentOf: {
      campaign: async (workspaceId, id) => (await context.campaigns.find(workspaceId, id))?.campaign.agentId,
    },
    // The broker is not required: messages wait in the outbox.
    readiness: createMigrationCheck(context.prisma, MIGRATIONS),
  });
  mountCampaigns(app, context);
  mountRetirements(app, context);
  mountOutbox(app, 'campaigns', context.prisma);
  const findUnpublished = createFindUnpublished(context.prisma, 'campaigns');
  mount(app, attentionOf('campaigns'), async ({ auth }) => ({
    items: await findUnpublished(auth.workspaceId),
  }));
  mountRemover(app, 'campaigns', context.remover);
  mountRetention(app, 'campaigns', context.applyRetention);
  mount(app, storedBytesOf('campaigns'), createStoredBytes(context.prisma, STORED_TABLES));
  return listen(app, { host: config.HOST, port: config.PORT, drainMs: config.STOP_DRAIN_MS }, lifecycle);
}
