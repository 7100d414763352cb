import * as contract from '@parley/contracts';
import { type App, contextOf, mount } from '@parley/kit/http';
import { openSessionOf } from '../access/admission.ts';
import { type DashboardDeps, publicUrlOf, requirePasswords } from '../sessions/dashboard.ts';
import { hashToken } from '../sessions/tokens.ts';
import { confirmProof, type MailDeps, mailProof, mailReset, resetByMail } from './prove-by-mail.ts';

export function mountMail(app: App, deps: DashboardDeps & MailDeps): void {
  mount(app, contract.mailAddressProof, ({ req }) =>
    mailProof(deps, openSessionOf(req).session, publicUrlOf(deps, req)),
  );

  mount(app, contract.confirmAddress, async ({ req, body }) => {
    const { session, token } = openSessionOf(req);
    await confirmProof(deps, session, body.token);
    deps.sessions.forget(hashToken('session', token, deps.pepper));
  });

  mount(app, contract.mailPasswordReset, ({ req, body }) => {
    requirePasswords(deps);
    return mailReset(deps, body.email, { baseUrl: publicUrlOf(deps, req), address: req.ip ?? '' });
  });

  mount(app, contract.resetPassword, ({ req, body }) => {
    requirePasswords(deps);
    return resetByMail(deps, body, { address: req.ip ?? '', requestId: contextOf(req).requestId });
  });
}
