import type { Role } from '@parley/contracts';
import { notFound } from '@parley/kit/errors';
import { noIdempotency } from '@parley/kit/idempotency';
import { invitationLink } from './invitation-link.ts';
import { changeRole, invite, type MemberDeps } from './members.ts';
import type { Passwords } from './password.ts';
import type { PeopleStore } from './ports.ts';
import { newToken } from './tokens.ts';

const by = { kind: 'operator' } as const;

/** `parley member add`: an invitation, where the person isn't a member yet; else the role alone. */
export async function addMember(
  deps: MemberDeps & { publicUrl: string | undefined },
  workspaceId: string,
  { email, role }: { email: string; role: Role },
) {
  const known = await deps.members.find(workspaceId, email);
  const linkOf = invitationLink(deps.publicUrl ?? '');
  const { invitation_expires_at, ...member } = known?.personId
    ? await changeRole(deps, { workspaceId, by }, { id: known.id, role })
    : await invite(deps, { workspaceId, by, linkOf }, { email, role }, noIdempotency);
  return { workspace_id: workspaceId, invitation_expires_at, ...member };
}

/** `parley member reset-password`: for whoever has forgotten it; everybody who is signed in with the old one is out. */
export async function resetPassword(deps: { people: PeopleStore; passwords: Passwords }, email: string) {
  const person = await deps.people.findByEmail(email);
  if (!person) throw notFound('Account');
  const password = newToken();
  await deps.people.setPassword(person.id, await deps.passwords.hash(password), null);
  return { email, password };
}
