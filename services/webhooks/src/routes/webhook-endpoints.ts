import { listWebhookEndpoints, testWebhookEndpoint } from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';
import { type EndpointHealths, listEndpoints } from '../domain/endpoints/list-endpoints.ts';
import { type TestEndpointDeps, testEndpoint } from '../domain/endpoints/test-endpoint.ts';
import type { Slots } from '../domain/slots.ts';

type Deps = TestEndpointDeps & { healths: EndpointHealths; slots: Slots };

export function mountWebhookEndpoints(app: App, deps: Deps): void {
  mount(app, listWebhookEndpoints, ({ query, auth }) => listEndpoints(deps, auth.workspaceId, query));
  mount(app, testWebhookEndpoint, ({ body, auth: { workspaceId } }) =>
    deps.slots(workspaceId, () => testEndpoint(deps, workspaceId, body)),
  );
}
