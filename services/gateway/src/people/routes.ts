import * as contract from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';
import type { Request } from 'express';
import { openSessionOf } from '../access/admission.ts';
import { noteWorkspaceChange } from '../events/note-own-changes.ts';
import {
  changedFrom,
  changerOf,
  type DashboardDeps,
  originOf,
  publicUrlOf,
  requirePasswords,
  setSessionCookies,
} from '../sessions/dashboard.ts';
import { whoAmI } from '../sessions/sessions.ts';
import { acceptInvitation, findInvitation, findInvited, invitationLink } from './invitations.ts';
import * as people from './members.ts';

export function mountMembers(app: App, deps: DashboardDeps): void {
  const linkOf = (req: Request) => invitationLink(publicUrlOf(deps, req));

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

  mount(app, contract.leaveWorkspace, async ({ req, auth, params }) => {
    const { personId, email } = openSessionOf(req).session;
    await people.leaveWorkspace(deps, params.id, { personId, email, ...changedFrom(req, auth) });
    noteWorkspaceChange(deps, params.id);
  });

  mount(app, contract.readInvitation, async ({ body }) => {
    const invitation = await findInvitation(deps, body.token);
    const { member, workspaceName, expiresAt } = invitation;
    return {
      email: member.email,
      workspace_name: workspaceName,
      role: member.role,
      expires_at: expiresAt.toISOString(),
      has_account: (await findInvited(deps, invitation)) !== undefined,
    };
  });

  mount(app, contract.acceptInvitation, async ({ req, body }) => {
    if (body.password !== undefined) requirePasswords(deps);
    const opened = await acceptInvitation(
      deps,
      { token: body.token, password: body.password },
      originOf(deps, req),
    );
    setSessionCookies(deps, req, opened);
    const { member } = opened.session;
    if (member) noteWorkspaceChange(deps, member.workspaceId);
    return whoAmI(deps, opened);
  });
}
