import {
  setNumberActivation as activationEndpoint,
  connectSipNumber as connectEndpoint,
  deletePhoneNumber as deleteEndpoint,
  findPhoneNumber as findEndpoint,
  getPhoneNumber as getEndpoint,
  importTelcoNumber as importEndpoint,
  listPhoneNumbers as listEndpoint,
  pointTelcoNumber as pointEndpoint,
  getDialRates as ratesEndpoint,
  updatePhoneNumber as updateEndpoint,
  walkPhoneNumbers as walkEndpoint,
} from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';
import { connectSipNumber, type NumberDeps } from './add-number.ts';
import { setNumberActivation, updatePhoneNumber } from './change-number.ts';
import { type DeleteNumberDeps, deletePhoneNumber } from './delete-phone-number.ts';
import {
  findPhoneNumber,
  getDialRates,
  getPhoneNumber,
  listPhoneNumbers,
  walkNumbers,
} from './read-numbers.ts';
import { importTelcoNumber, pointTelcoNumber } from './telco-numbers.ts';

export function mountPhoneNumbers(app: App, deps: NumberDeps & DeleteNumberDeps): void {
  mount(app, connectEndpoint, ({ auth: { workspaceId }, by, requestId, idempotency, body }) =>
    connectSipNumber(deps, { workspaceId, requestId, by, idempotency }, body),
  );
  mount(app, importEndpoint, ({ auth: { workspaceId }, by, requestId, idempotency, body }) =>
    importTelcoNumber(deps, { workspaceId, requestId, by, idempotency }, body),
  );
  mount(app, listEndpoint, ({ auth, body }) => listPhoneNumbers(deps, auth.workspaceId, body));
  mount(app, getEndpoint, ({ auth, params }) => getPhoneNumber(deps, auth.workspaceId, params.id));
  mount(app, updateEndpoint, ({ by, params: { id }, body }) => updatePhoneNumber(deps, { by, id, body }));
  mount(app, pointEndpoint, ({ auth, params }) => pointTelcoNumber(deps, auth.workspaceId, params.id));
  mount(app, deleteEndpoint, ({ auth: { workspaceId }, by, requestId, params: { id } }) =>
    deletePhoneNumber(deps, { workspaceId, requestId, id, by }),
  );

  // For other services.
  mount(app, findEndpoint, ({ auth, params }) =>
    findPhoneNumber(deps, auth.workspaceId, params.phone_number),
  );
  mount(app, ratesEndpoint, ({ body }) => getDialRates(deps, body.phone_number_ids));
  mount(app, walkEndpoint, ({ body }) => walkNumbers(deps, body));
  mount(app, activationEndpoint, ({ params: { id }, body, by }) =>
    setNumberActivation(deps, { id, isActive: body.is_active, by }),
  );
}
