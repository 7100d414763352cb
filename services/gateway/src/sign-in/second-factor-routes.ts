import * as contract from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';
import { openSessionOf } from '../access/admission.ts';
import { accountChangeOf, type DashboardDeps } from '../sessions/dashboard.ts';
import { hashToken } from '../sessions/tokens.ts';
import * as factor from './second-factor.ts';

export function mountSecondFactor(app: App, deps: DashboardDeps): void {
  mount(app, contract.getSecondFactor, ({ req }) =>
    factor.readSecondFactor(deps, openSessionOf(req).session),
  );

  mount(app, contract.beginSecondFactor, ({ req, body }) =>
    factor.beginSecondFactor(deps, openSessionOf(req).session, body.password),
  );

  mount(app, contract.enableSecondFactor, async ({ req, auth, body }) => {
    const { session, token } = openSessionOf(req);
    const enabled = await factor.enableSecondFactor(deps, session, body.code, accountChangeOf(req, auth));
    // The session counts as opened with the second factor from now on.
    deps.sessions.forget(hashToken('session', token, deps.pepper));
    return enabled;
  });

  mount(app, contract.renewRecoveryCodes, ({ req, auth, body }) =>
    factor.renewRecoveryCodes(deps, openSessionOf(req).session, body, accountChangeOf(req, auth)),
  );

  mount(app, contract.disableSecondFactor, async ({ req, auth, body }) => {
    const { session, token } = openSessionOf(req);
    await factor.disableSecondFactor(deps, session, body, accountChangeOf(req, auth));
    deps.sessions.forget(hashToken('session', token, deps.pepper));
  });
}
