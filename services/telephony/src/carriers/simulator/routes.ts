import { callIn as callInEndpoint } from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';
import { type CallInDeps, callIn } from './call-in.ts';

/** `POST /simulator/inbound`, in development only [running.4]. */
export function mountSimulator(app: App, deps: CallInDeps): void {
  mount(app, callInEndpoint, ({ auth: { workspaceId }, idempotency, body }) =>
    callIn(deps, { workspaceId, idempotency, body }),
  );
}
