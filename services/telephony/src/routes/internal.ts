import {
  setNumberActivation as activationEndpoint,
  getDialConditions as conditionsEndpoint,
  findPhoneNumber as findEndpoint,
  getDialRates as ratesEndpoint,
  getDialStates as statesEndpoint,
  walkPhoneNumbers as walkEndpoint,
  withdrawDials as withdrawEndpoint,
} from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';
import { type ConditionsDeps, getDialConditions } from '../domain/dialing/dial-conditions.ts';
import type { ChangeDeps } from '../domain/numbers/change-number.ts';
import { findPhoneNumber, getDialRates } from '../domain/numbers/look-up-numbers.ts';
import { setNumberActivation } from '../domain/numbers/set-number-activation.ts';
import { type NumberWalk, walkNumbers } from '../domain/numbers/walk-numbers.ts';
import { type DialRecords, getDialStates } from '../domain/placing/dial-states.ts';
import { type WithdrawDeps, withdrawDials } from '../domain/placing/withdraw-dials.ts';

export type InternalDeps = ChangeDeps &
  WithdrawDeps &
  ConditionsDeps & { dialRecords: DialRecords; numberWalk: NumberWalk };

/** What other services ask. */
export function mountInternal(app: App, deps: InternalDeps): void {
  mount(app, findEndpoint, ({ auth, params }) =>
    findPhoneNumber(deps, auth.workspaceId, params.phone_number),
  );
  mount(app, ratesEndpoint, ({ body }) => getDialRates(deps, body.phone_number_ids));
  mount(app, conditionsEndpoint, ({ auth, params }) => getDialConditions(deps, auth.workspaceId, params.id));
  mount(app, walkEndpoint, ({ body }) => walkNumbers(deps, body));
  mount(app, activationEndpoint, ({ params: { id }, body, requestId }) =>
    setNumberActivation(deps, { id, isActive: body.is_active, requestId }),
  );
  mount(app, withdrawEndpoint, ({ body, requestId }) =>
    withdrawDials(deps, {
      campaignId: body.campaign_id,
      belowGeneration: body.below_generation,
      requestId,
    }),
  );
  mount(app, statesEndpoint, ({ body }) => getDialStates(deps, body.call_ids));
}
