import {
  addToDoNotCall as addEndpoint,
  listDoNotCall as listEndpoint,
  removeFromDoNotCall as removeEndpoint,
} from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';
import { addToDoNotCall, removeFromDoNotCall } from '../domain/do-not-call/change-list.ts';
import { listDoNotCall } from '../domain/do-not-call/list-do-not-call.ts';
import type { DoNotCallDeps } from '../domain/do-not-call/ports.ts';

export function mountDoNotCall(app: App, deps: DoNotCallDeps): void {
  mount(app, addEndpoint, ({ auth: { workspaceId }, idempotency, body }) =>
    addToDoNotCall(deps, { workspaceId, idempotency, phoneNumbers: body.phone_numbers }),
  );
  mount(app, listEndpoint, ({ auth, query }) => listDoNotCall(deps, auth.workspaceId, query));
  mount(app, removeEndpoint, ({ auth, params }) =>
    removeFromDoNotCall(deps, auth.workspaceId, params.phone_number),
  );
}
