import * as contract from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';
import type { Request } from 'express';
import { limitAccount } from '../../domain/limits/limit-open.ts';
import { invitationLink } from '../../domain/people/invitation-link.ts';
import { acceptInvitation, findInvitation } from '../../domain/people/invitations.ts';
import * as people from '../../domain/people/members.ts';
import { whoAmI } from '../../domain/people/sessions.ts';
import { changerOf, type DashboardDeps, guardStranger, handOut, originOf } from './deps.ts';

export function mountMembers(app: App, deps: DashboardDeps): void {
  const linkOf = (req: Request) =>
    invitationLink(deps.publicUrl ?? `${deps.admission.isSecure(req) ? 'https' : 'http'}://${req.host}`);

  mount(app, contract.listMembers, ({ auth, query }) => people.listMembers(deps, auth.workspaceId, query));

  mount(app, contract.inviteMember, ({ req, auth, body, idempotency }) =>
    people.invite(deps, { ...changerOf(req, auth), linkOf: linkOf(req) }, body, idempotency),
  );

  mount(app, contract.changeMember, ({ req, auth, params, body }) =>
    people.changeRole(deps, changerOf(req, auth), { id: params.id, role: body.role }),
  );

  mount(app, contract.removeMember, ({ req, auth, params }) =>
    people.removeMember(deps, changerOf(req, auth), params.id),
  );

  mount(app, contract.readInvitation, async ({ req, body }) => {
    await guardStranger(deps, req, undefined);
    const { member, workspaceName, expiresAt } = await findInvitation(deps, body.token);
    return {
      email: member.email,
      workspace_name: workspaceName,
      role: member.role,
      expires_at: expiresAt.toISOString(),
      has_account: (await deps.people.findByEmail(member.email)) !== undefined,
    };
  });

  mount(app, contract.acceptInvitation, async ({ req, body }) => {
    await guardStranger(deps, req, undefined);
    // The password of an account is asked for here too: new tokens for its address make no new guesses.
    const { member } = await findInvitation(deps, body.token);
    await limitAccount(deps.limiter, member.email, deps.signInLimits);
    const opened = await acceptInvitation(deps, body, originOf(deps, req));
    handOut(deps, req, opened);
    return whoAmI(deps, opened);
  });
}
