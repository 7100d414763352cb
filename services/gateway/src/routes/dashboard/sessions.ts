import * as contract from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';
import { limitSignIn } from '../../domain/limits/limit-open.ts';
import * as people from '../../domain/people/sessions.ts';
import { openedBy } from '../admission.ts';
import { clearSessionCookie } from '../session-cookie.ts';
import { type DashboardDeps, guardStranger, handOut, originOf } from './deps.ts';

export function mountSessions(app: App, deps: DashboardDeps): void {
  mount(app, contract.signIn, async ({ body, req }) => {
    await guardStranger(deps, req, body.email);
    const { email, password, workspace_id: workspaceId } = body;
    const opened = await people.signIn(deps, { email, password, workspaceId }, originOf(deps, req));
    handOut(deps, req, opened);
    return people.whoAmI(deps, opened);
  });

  mount(app, contract.getSession, ({ req }) => people.whoAmI(deps, openedBy(req)));

  mount(app, contract.pickWorkspace, ({ req, body }) =>
    people.pickWorkspace(deps, openedBy(req), body.workspace_id),
  );

  mount(app, contract.signOut, async ({ req }) => {
    const opened = openedBy(req);
    await people.endSession(deps, opened, opened.session.id);
    if (req.res) clearSessionCookie(req.res, deps.admission.isSecure(req));
  });

  mount(app, contract.listSessions, ({ req }) => people.listSessions(deps, openedBy(req)));

  mount(app, contract.revokeSession, ({ req, params }) => people.endSession(deps, openedBy(req), params.id));

  mount(app, contract.changePassword, async ({ req, body }) => {
    const opened = openedBy(req);
    const from = { address: req.ip ?? '', account: opened.session.email };
    await limitSignIn(deps.limiter, from, deps.signInLimits);
    const change = { currentPassword: body.current_password, newPassword: body.new_password };
    await people.changePassword(deps, opened, change);
  });
}
