import {
  getDialConditions as conditionsEndpoint,
  getDialStates as statesEndpoint,
  withdrawDials as withdrawEndpoint,
} from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';
import { type ConditionsDeps, getDialConditions } from './dial-conditions.ts';
import { type DialRecords, getDialStates } from './dial-states.ts';
import { type WithdrawDeps, withdrawDials } from './withdraw-dials.ts';

export type DialDeps = WithdrawDeps & ConditionsDeps & { dialRecords: DialRecords };

/** Routes of dials for other services. */
export function mountDials(app: App, deps: DialDeps): void {
  mount(app, conditionsEndpoint, ({ auth, params }) => getDialConditions(deps, auth.workspaceId, params.id));
  mount(app, withdrawEndpoint, ({ body, requestId }) =>
    withdrawDials(deps, {
      campaignId: body.campaign_id,
      belowGeneration: body.below_generation,
      requestId,
    }),
  );
  mount(app, statesEndpoint, ({ body }) => getDialStates(deps, body.call_ids));
}
