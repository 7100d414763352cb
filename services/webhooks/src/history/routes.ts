import { listFailedWebhooks as failedEndpoint, listCallWebhooks as listEndpoint } from '@parley/contracts';
import type { SqlClient } from '@parley/kit/db';
import { type App, mount } from '@parley/kit/http';
import { listCallWebhooks } from './list-call-webhooks.ts';
import { listFailedWebhooks } from './list-failed.ts';

type HistoryDeps = Parameters<typeof listCallWebhooks>[0] & { prisma: SqlClient };

export function mountHistory(app: App, deps: HistoryDeps): void {
  mount(app, listEndpoint, ({ params, auth }) => listCallWebhooks(deps, auth.workspaceId, params.id));
  mount(app, failedEndpoint, ({ query, auth }) => listFailedWebhooks(deps, auth.workspaceId, query));
}
