import { fileURLToPath } from 'node:url';
import { createApp, listen } from '@parley/kit/http';
import { createMigrationCheck } from '@parley/kit/migrations';
import type { Context } from './context.ts';
import { mountAssistants } from './routes/assistants.ts';
import { mountInternal } from './routes/internal.ts';
import { mountKnowledgeBases } from './routes/knowledge-bases.ts';
import { mountSecrets } from './routes/secrets.ts';
import { mountTools } from './routes/tools.ts';

const MIGRATIONS = fileURLToPath(new URL('../prisma/migrations', import.meta.url));

export async function startServer(context: Context): Promise<{ port: number }> {
  const { config, lifecycle, log, metrics, internalTokens, idempotencyStore, prisma } = context;
  const app = createApp({
    service: 'assistants',
    log,
    metrics,
    internalTokens,
    idempotencyStore,
    // Without the broker requests are served all the same, and messages wait in the outbox.
    readiness: createMigrationCheck(prisma, MIGRATIONS),
  });
  mountAssistants(app, context);
  mountTools(app, context);
  mountKnowledgeBases(app, context);
  mountInternal(app, context);
  mountSecrets(app, context);
  const { port } = await listen(
    app,
    { host: config.HOST, port: config.PORT, drainMs: config.STOP_DRAIN_MS },
    lifecycle,
  );
  log.info({ port }, 'assistants is listening');
  return { port };
}
