import {
  connectSipNumber as connectEndpoint,
  deletePhoneNumber as deleteEndpoint,
  getPhoneNumber as getEndpoint,
  importTelcoNumber as importEndpoint,
  listPhoneNumbers as listEndpoint,
  pointTelcoNumber as pointEndpoint,
  updatePhoneNumber as updateEndpoint,
} from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';
import { connectSipNumber } from '../domain/numbers/connect-sip-number.ts';
import { type DeleteNumberDeps, deletePhoneNumber } from '../domain/numbers/delete-phone-number.ts';
import type { NumberDeps } from '../domain/numbers/deps.ts';
import { getPhoneNumber } from '../domain/numbers/get-phone-number.ts';
import { importTelcoNumber } from '../domain/numbers/import-telco-number.ts';
import { listPhoneNumbers } from '../domain/numbers/list-phone-numbers.ts';
import { pointTelcoNumber } from '../domain/numbers/point-telco-number.ts';
import { updatePhoneNumber } from '../domain/numbers/update-phone-number.ts';

export function mountPhoneNumbers(app: App, deps: NumberDeps & DeleteNumberDeps): void {
  mount(app, connectEndpoint, ({ auth: { workspaceId }, requestId, idempotency, body }) =>
    connectSipNumber(deps, { workspaceId, requestId, idempotency }, body),
  );
  mount(app, importEndpoint, ({ auth: { workspaceId }, requestId, idempotency, body }) =>
    importTelcoNumber(deps, { workspaceId, requestId, idempotency }, body),
  );
  mount(app, listEndpoint, ({ auth, body }) => listPhoneNumbers(deps, auth.workspaceId, body));
  mount(app, getEndpoint, ({ auth, params }) => getPhoneNumber(deps, auth.workspaceId, params.id));
  mount(app, updateEndpoint, ({ auth: { workspaceId }, requestId, params: { id }, body }) =>
    updatePhoneNumber(deps, { workspaceId, requestId, id, body }),
  );
  mount(app, pointEndpoint, ({ auth, params }) => pointTelcoNumber(deps, auth.workspaceId, params.id));
  mount(app, deleteEndpoint, ({ auth: { workspaceId }, requestId, params: { id } }) =>
    deletePhoneNumber(deps, { workspaceId, requestId, id }),
  );
}
