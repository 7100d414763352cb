import { resendCallWebhooks } from '@parley/contracts';
import type { KeyedLimiter } from '@parley/kit/concurrency';
import { type App, mount } from '@parley/kit/http';
import { type ResendDeps, resendEvents } from './resend-events.ts';

export function mountResend(app: App, deps: ResendDeps & { waitingRequests: KeyedLimiter }): void {
  mount(app, resendCallWebhooks, ({ params, body, auth: { workspaceId } }) =>
    deps.waitingRequests.run(workspaceId, async () => ({
      results: await resendEvents(deps, workspaceId, params.id, body),
    })),
  );
}
