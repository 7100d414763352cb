import type { Role } from '@parley/contracts';
import { changesBetween } from '@parley/kit/audit';
import { conflict, notFound } from '@parley/kit/errors';
import { toOffsetPage } from '@parley/kit/http';
import type { Idempotency } from '@parley/kit/idempotency';
import type { Clock } from '@parley/kit/time';
import type { Limiter } from '../limits/bucket.ts';
import type { MailQueue } from '../mail/mails.store.ts';
import { mayMailInvitation } from '../mail/may-mail-invitation.ts';
import type { Page } from '../page.ts';
import { hashToken, mailedProofOf, newToken } from '../sessions/tokens.ts';
import { type Changer, nameOf } from './changes.ts';
import type { Member, MemberStore, Team } from './members.store.ts';
import type { PeopleStore } from './people.store.ts';
import { requireMayAssign, requireOwnerLeft } from './roles.ts';

export type MemberDeps = {
  members: MemberStore;
  clock: Clock;
  pepper: string;
  invitationDays: number;
  /** Undefined: no mail server; the inviter passes the link on. */
  mails?: MailQueue | undefined;
  /** Of mailed invitations. */
  limiter?: Limiter | undefined;
};

const DAY_MS = 86_400_000;

/** The current role, which may differ from the one that the session remembers. */
function roleOf(by: Changer, team: Team): Role | undefined {
  if (by.kind === 'operator') return 'owner';
  return team.members.find(({ id }) => id === by.memberId)?.role;
}

/** The oldest first. */
export async function listMembers({ members }: Pick<MemberDeps, 'members'>, workspaceId: string, page: Page) {
  const { items, total } = await members.list(workspaceId, page);
  return toOffsetPage(page, { items: items.map(shown), total });
}

/**
 * Invites a new person, or replaces an earlier invitation. Throws `409 CONFLICT` for a member, and at the maximum; `429 RATE_LIMITED`
 * above the limit of mailed invitations.
 */
export async function invite(
  deps: MemberDeps,
  { workspaceId, by, linkOf }: { workspaceId: string; by: Changer; linkOf: (token: string) => string },
  { email, role }: { email: string; role: Role },
  idempotency: Idempotency,
) {
  /** Counted after all checks, so that a refused request does not count, and once, although a transaction may run again. */
  let mayMail: Promise<boolean> | undefined;
  return deps.members.change(workspaceId, async (team) => {
    const known = team.members.find((member) => member.email === email);
    requireMayAssign(roleOf(by, team), known ? [role, known.role] : [role]);
    if (known?.personId) throw conflict(`${email} is already a member`);
    if (!known) team.requireRoom();
    mayMail ??= mayMailInvitation(deps, { workspaceId, email });
    const isMailed = await mayMail;
    const { token, invitation } = newInvitation(deps, by);
    const member = known
      ? await team.reinvite(known.id, role, invitation)
      : await team.invite(email, role, invitation);
    await team.record(by, entryOf('member.invited', member, { role: { to: role } }));
    // Unlike the link in the response, the mailed one proves that its reader owns the address.
    const url = linkOf(`${token}.${mailedProofOf(token, deps.pepper)}`);
    const details = { workspaceName: team.workspaceName, role, invitedBy: nameOf(by) };
    if (isMailed) await deps.mails?.add({ kind: 'invitation', to: email, url, ...details }, team.tx);
    return idempotency.answer(team.tx, {
      ...shown(member),
      invitation_token: token,
      invitation_url: linkOf(token),
    });
  });
}

function newInvitation({ clock, pepper, invitationDays }: MemberDeps, by: Changer) {
  const token = newToken();
  const expiresAt = new Date(clock.now().getTime() + invitationDays * DAY_MS);
  return { token, invitation: { hash: hashToken('invitation', token, pepper), expiresAt, by: nameOf(by) } };
}

export async function changeRole(
  { members }: Pick<MemberDeps, 'members'>,
  { workspaceId, by }: { workspaceId: string; by: Changer },
  { id, role }: { id: string; role: Role },
) {
  return members.change(workspaceId, async (team) => {
    const member = find(team, id);
    requireMayAssign(roleOf(by, team), [member.role, role]);
    if (role !== 'owner') requireOwnerLeft(team.members, member);
    const changes = changesBetween({ role: member.role }, { role });
    if (member.role !== role) await team.record(by, entryOf('member.role_changed', member, changes));
    return shown(await team.setRole(id, role));
  });
}

export async function removeMember(
  { members }: Pick<MemberDeps, 'members'>,
  { workspaceId, by }: { workspaceId: string; by: Changer },
  id: string,
): Promise<void> {
  await members.change(workspaceId, async (team) => {
    const member = find(team, id);
    requireMayAssign(roleOf(by, team), [member.role]);
    requireOwnerLeft(team.members, member);
    await team.remove(id);
    await team.record(by, entryOf('member.removed', member));
  });
}

/** Ends the own membership; an unproved account is deleted with its last one. */
export async function leaveWorkspace(
  { members, people }: Pick<MemberDeps, 'members'> & { people: PeopleStore },
  workspaceId: string,
  { personId, ...by }: { personId: string; email: string; address?: string; requestId?: string },
): Promise<void> {
  // Checked first, so that no other workspace's members are locked.
  const own = await people.memberships(personId);
  if (!own.some((membership) => membership.workspaceId === workspaceId)) throw notFound('Workspace');
  await members.change(workspaceId, async (team) => {
    const member = team.members.find((one) => one.personId === personId);
    if (!member) throw notFound('Workspace');
    requireOwnerLeft(team.members, member);
    await team.remove(member.id);
    await team.record({ kind: 'member', memberId: member.id, ...by }, entryOf('member.left', member));
  });
}

function entryOf(action: string, { id, email }: Member, changes: Record<string, unknown> = {}) {
  return { action, target: { type: 'member', id, name: email }, changes };
}

function find({ members }: Team, id: string): Member {
  const member = members.find((one) => one.id === id);
  if (!member) throw notFound('Member');
  return member;
}

function shown(member: Member) {
  return {
    id: member.id,
    email: member.email,
    role: member.role,
    status: member.personId ? ('active' as const) : ('invited' as const),
    invitation_expires_at: member.personId ? null : (member.invitationExpiresAt?.toISOString() ?? null),
    invited_by: member.invitedBy,
    created_at: member.createdAt.toISOString(),
  };
}
