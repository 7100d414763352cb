import { fileURLToPath } from 'node:url';
import { attentionOf } from '@parley/contracts';
import { createApp, listen, mount, readLimitsOf } from '@parley/kit/http';
import { createMigrationCheck } from '@parley/kit/migrations';
import { createFindUnpublished, mountOutbox } from '@parley/kit/outbox';
import { mountRemover } from '@parley/kit/removal';
import { mountInternal } from './assistants/internal-routes.ts';
import { mountAssistants } from './assistants/routes.ts';
import type { Context } from './context.ts';
import { mountKnowledgeBases } from './knowledge/routes.ts';
import { mountStoredBytes } from './removals/stored-bytes.ts';
import { mountSecrets } from './secrets/routes.ts';
import { mountTools } from './tools/routes.ts';

const MIGRATIONS = fileURLToPath(new URL('../prisma/migrations', import.meta.url));

export async function startServer(context: Context): Promise<{ port: number }> {
  const { config, lifecycle, log, metrics, internalTokens, idempotencyStore, prisma } = context;
  const app = createApp({
    service: 'assistants',
    log,
    metrics,
    reads: readLimitsOf(config),
    internalTokens,
    idempotencyStore,
    agentOf: {
      assistant: async (_workspaceId, id) => id.toLowerCase(),
      tool: async (workspaceId, id) => (await context.tools.find(workspaceId, id))?.agentId,
    },
    // The broker is not required: messages wait in the outbox.
    readiness: createMigrationCheck(prisma, MIGRATIONS),
  });
  mountAssistants(app, context);
  mountTools(app, context);
  mountKnowledgeBases(app, context);
  mountInternal(app, context);
  mountRemover(app, 'assistants', context.remover);
  mountStoredBytes(app, context);
  mountSecrets(app, context);
  mountOutbox(app, 'assistants', prisma);
  const findUnpublished = createFindUnpublished(prisma, 'assistants');
  mount(app, attentionOf('assistants'), async ({ auth }) => ({
    items: await findUnpublished(auth.workspaceId),
  }));
  const { port } = await listen(
    app,
    { host: config.HOST, port: config.PORT, drainMs: config.STOP_DRAIN_MS },
    lifecycle,
  );
  log.info({ port }, 'assistants is listening');
  return { port };
}
