import { listWebhookEndpoints, testWebhookEndpoint } from '@parley/contracts';
import type { KeyedLimiter } from '@parley/kit/concurrency';
import { type App, mount } from '@parley/kit/http';
import { listEndpoints } from './list-endpoints.ts';
import { type TestEndpointDeps, testEndpoint } from './test-endpoint.ts';

export function mountEndpoints(app: App, deps: TestEndpointDeps & { waitingRequests: KeyedLimiter }): void {
  mount(app, listWebhookEndpoints, ({ query, auth }) => listEndpoints(deps, auth.workspaceId, query));
  mount(app, testWebhookEndpoint, ({ body, auth: { workspaceId } }) =>
    deps.waitingRequests.run(workspaceId, () => testEndpoint(deps, workspaceId, body)),
  );
}
