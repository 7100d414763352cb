import * as contract from '@parley/contracts';
import { AppError } from '@parley/kit/errors';
import { type App, mount } from '@parley/kit/http';
import type { Request } from 'express';
import { openSessionOf } from '../access/admission.ts';
import { challengeCookie, sessionCookie } from '../sign-in/cookies.ts';
import { finishSignIn } from '../sign-in/second-factor.ts';
import { signInByLink } from '../sign-in/sign-in-links.ts';
import {
  accountChangeOf,
  type DashboardDeps,
  originOf,
  requirePasswords,
  setSessionCookies,
} from './dashboard.ts';
import * as people from './sessions.ts';

export function mountSessions(app: App, deps: DashboardDeps): void {
  mount(app, contract.signIn, async ({ body, req }) => {
    requirePasswords(deps);
    const { email, password, workspace_id: workspaceId } = body;
    const signedIn = await people.signIn(deps, { email, password, workspaceId }, originOf(deps, req));
    return answerSignIn(deps, req, signedIn);
  });

  mount(app, contract.signInByLink, async ({ body, req, requestId }) =>
    answerSignIn(deps, req, await signInByLink(deps, { token: body.token, requestId }, originOf(deps, req))),
  );

  mount(app, contract.finishSignIn, async ({ body, req }) => {
    const challenge = challengeCookie.read(req, deps.admission.isSecure(req)) ?? '';
    const opened = await finishSignIn(deps, { challenge, code: body.code }, originOf(deps, req));
    if (req.res) challengeCookie.clear(req.res, deps.admission.isSecure(req));
    setSessionCookies(deps, req, opened);
    return people.whoAmI(deps, opened);
  });

  mount(app, contract.getSession, ({ req }) => people.whoAmI(deps, openSessionOf(req)));

  mount(app, contract.pickWorkspace, ({ req, body }) =>
    people.pickWorkspace(deps, openSessionOf(req), body.workspace_id),
  );

  mount(app, contract.signOut, async ({ req }) => {
    const opened = openSessionOf(req);
    await people.endSession(deps, opened, opened.session.id);
    if (req.res) sessionCookie.clear(req.res, deps.admission.isSecure(req));
  });

  mount(app, contract.listSessions, ({ req }) => people.listSessions(deps, openSessionOf(req)));

  mount(app, contract.revokeSession, ({ req, params }) =>
    people.endSession(deps, openSessionOf(req), params.id),
  );

  mount(app, contract.changePassword, async ({ req, auth, body }) => {
    const change = { currentPassword: body.current_password, newPassword: body.new_password };
    await people.changePassword(deps, openSessionOf(req), change, accountChangeOf(req, auth));
  });
}

/** Sets the cookies of the session, or of the challenge for the code. */
function answerSignIn(deps: DashboardDeps, req: Request, signedIn: people.SignedIn) {
  if ('challenge' in signedIn) {
    if (req.res) challengeCookie.set(req.res, signedIn.challenge, deps.admission.isSecure(req));
    throw new AppError('SECOND_FACTOR_REQUIRED', 'Send a code to POST /dashboard/api/session/code');
  }
  setSessionCookies(deps, req, signedIn.opened);
  return people.whoAmI(deps, signedIn.opened);
}
