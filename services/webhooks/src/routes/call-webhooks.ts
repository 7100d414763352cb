import { listCallWebhooks as listEndpoint, resendCallWebhooks } from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';
import { type CallExists, type CallWebhooks, listCallWebhooks } from '../domain/events/call-webhooks.ts';
import { type ResendDeps, resendEvents } from '../domain/resend/resend-events.ts';
import type { Slots } from '../domain/slots.ts';

type Deps = ResendDeps & { webhooks: CallWebhooks; callExists: CallExists; slots: Slots };

export function mountCallWebhooks(app: App, deps: Deps): void {
  mount(app, listEndpoint, ({ params, auth }) => listCallWebhooks(deps, auth.workspaceId, params.id));
  mount(app, resendCallWebhooks, ({ params, body, auth: { workspaceId } }) =>
    deps.slots(workspaceId, async () => ({
      results: await resendEvents(deps, workspaceId, params.id, body.events),
    })),
  );
}
