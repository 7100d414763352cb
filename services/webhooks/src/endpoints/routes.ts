import { listWebhookEndpoints, testWebhookEndpoint } from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';
import type { LimitRequests } from '../request-limit.ts';
import { listEndpoints } from './list-endpoints.ts';
import { type TestEndpointDeps, testEndpoint } from './test-endpoint.ts';

export function mountEndpoints(app: App, deps: TestEndpointDeps & { limitRequests: LimitRequests }): void {
  mount(app, listWebhookEndpoints, ({ query, auth }) => listEndpoints(deps, auth.workspaceId, query));
  mount(app, testWebhookEndpoint, ({ body, auth: { workspaceId } }) =>
    deps.limitRequests(workspaceId, () => testEndpoint(deps, workspaceId, body)),
  );
}
