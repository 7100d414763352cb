import { listCallWebhooks as endpoint } from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';
import { type CallExists, type CallWebhooks, listCallWebhooks } from '../domain/events/call-webhooks.ts';

export function mountCallWebhooks(app: App, deps: { webhooks: CallWebhooks; callExists: CallExists }): void {
  mount(app, endpoint, ({ params, auth }) => listCallWebhooks(deps, auth.workspaceId, params.id));
}
