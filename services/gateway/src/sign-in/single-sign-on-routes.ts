import * as contract from '@parley/contracts';
import { AppError } from '@parley/kit/errors';
import { type App, mount } from '@parley/kit/http';
import type { Request } from 'express';
import { sessionOf } from '../people/invitations.ts';
import type { PepperBox } from '../secrets/pepper-box.ts';
import { type DashboardDeps, originOf, publicUrlOf, setSessionCookies } from '../sessions/dashboard.ts';
import { ssoCookie } from './cookies.ts';
import { finishSso, requireProvider, type SsoDeps } from './single-sign-on.ts';

type Deps = DashboardDeps & SsoDeps & { cookieBox: PepperBox; passwordSignIn: boolean; sendsMail: boolean };

const CALLBACK = '/dashboard/api/oidc/callback';

const redirect = (location: string) => ({
  contentType: 'text/plain; charset=utf-8',
  body: '',
  status: 302,
  headers: { location },
});

export function mountSingleSignOn(app: App, deps: Deps): void {
  const callbackOf = (req: Request): string => `${publicUrlOf(deps, req)}${CALLBACK}`;

  mount(app, contract.getSignInMethods, () => ({
    password: deps.passwordSignIn,
    sso: deps.identityProvider !== undefined,
    mail: deps.sendsMail,
  }));

  mount(app, contract.startSso, async ({ req, query }) => {
    const { location, attempt } = await requireProvider(deps).begin(callbackOf(req));
    // A signed-in person links their account, if the provider has verified its address.
    const linkTo = (await sessionOf(deps, originOf(deps, req)))?.personId;
    const state = { attempt, returnTo: query.return_to, ...(linkTo ? { linkTo } : {}) };
    if (req.res) ssoCookie.set(req.res, deps.cookieBox, state, deps.admission.isSecure(req));
    return redirect(location);
  });

  mount(app, contract.finishSso, async ({ req }) => {
    const state = ssoCookie.read(req, deps.cookieBox, deps.admission.isSecure(req));
    if (req.res) ssoCookie.clear(req.res, deps.admission.isSecure(req));
    if (!state)
      throw new AppError(
        'UNAUTHORIZED',
        'The sign-in has expired or was started in another browser: start again',
      );
    const callback = new URL(callbackOf(req));
    callback.search = new URL(req.url, callback).search;
    const { attempt, linkTo, returnTo } = state;
    const opened = await finishSso(deps, { callback, attempt, linkTo }, originOf(deps, req));
    setSessionCookies(deps, req, opened);
    return redirect(returnTo);
  });
}
