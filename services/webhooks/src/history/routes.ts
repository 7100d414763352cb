import { listCallWebhooks as listEndpoint } from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';
import { listCallWebhooks } from './list-call-webhooks.ts';

export function mountHistory(app: App, deps: Parameters<typeof listCallWebhooks>[0]): void {
  mount(app, listEndpoint, ({ params, auth }) => listCallWebhooks(deps, auth.workspaceId, params.id));
}
