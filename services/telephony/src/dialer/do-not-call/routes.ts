import {
  addToDoNotCall as addEndpoint,
  listDoNotCall as listEndpoint,
  removeFromDoNotCall as removeEndpoint,
} from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';
import { addToDoNotCall, removeFromDoNotCall } from './change-list.ts';
import { listDoNotCall } from './list-do-not-call.ts';
import type { DoNotCallDeps } from './ports.ts';

export function mountDoNotCall(app: App, deps: DoNotCallDeps): void {
  mount(app, addEndpoint, ({ by, idempotency, body }) =>
    addToDoNotCall(deps, { by, idempotency, phoneNumbers: body.phone_numbers }),
  );
  mount(app, listEndpoint, ({ auth, query }) => listDoNotCall(deps, auth.workspaceId, query));
  mount(app, removeEndpoint, ({ by, params }) => removeFromDoNotCall(deps, by, params.phone_number));
}
