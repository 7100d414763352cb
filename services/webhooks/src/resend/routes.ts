import { resendCallWebhooks } from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';
import type { LimitRequests } from '../request-limit.ts';
import { type ResendDeps, resendEvents } from './resend-events.ts';

export function mountResend(app: App, deps: ResendDeps & { limitRequests: LimitRequests }): void {
  mount(app, resendCallWebhooks, ({ params, body, auth: { workspaceId } }) =>
    deps.limitRequests(workspaceId, async () => ({
      results: await resendEvents(deps, workspaceId, params.id, body.events),
    })),
  );
}
