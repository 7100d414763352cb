import { callIn as callInEndpoint } from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';
import { type CallInDeps, callIn } from '../carriers/simulator/call-in.ts';

/** The far end of the simulated carrier, for development (D10). */
export function mountSimulator(app: App, deps: CallInDeps): void {
  mount(app, callInEndpoint, ({ auth: { workspaceId }, idempotency, body }) =>
    callIn(deps, { workspaceId, idempotency, body }),
  );
}
