import type { Role } from '@parley/contracts';
import { conflict, notFound } from '@parley/kit/errors';
import type { Idempotency } from '@parley/kit/idempotency';
import type { Clock } from '@parley/kit/time';
import { type Page, toListAnswer } from '../page.ts';
import { type Changer, nameOf } from './changer.ts';
import type { Member, MemberStore, Team } from './ports.ts';
import { requireMayAssign, requireOwnerLeft } from './roles.ts';
import { hashToken, newToken } from './tokens.ts';

export type MemberDeps = {
  members: MemberStore;
  clock: Clock;
  pepper: string;
  invitationDays: number;
};

const DAY_MS = 86_400_000;

/** What the changer is right now, not what a session remembered. */
function roleOf(by: Changer, team: Team): Role | undefined {
  if (by.kind === 'operator') return 'owner';
  return team.members.find(({ id }) => id === by.memberId)?.role;
}

/** The oldest first. */
export async function listMembers({ members }: Pick<MemberDeps, 'members'>, workspaceId: string, page: Page) {
  const { items, total } = await members.list(workspaceId, page);
  return toListAnswer(page, { items: items.map(shown), total });
}

/** Somebody new, or a new token in place of an older one; `409 CONFLICT` for whoever is here already. */
export async function invite(
  deps: MemberDeps,
  { workspaceId, by, linkOf }: { workspaceId: string; by: Changer; linkOf: (token: string) => string },
  { email, role }: { email: string; role: Role },
  idempotency: Idempotency,
) {
  return deps.members.change(workspaceId, async (team) => {
    const known = team.members.find((member) => member.email === email);
    requireMayAssign(roleOf(by, team), known ? [role, known.role] : [role]);
    if (known?.personId) throw conflict(`${email} is a member already`);
    const { token, invitation } = newInvitation(deps, by);
    const member = known
      ? await team.reinvite(known.id, role, invitation)
      : await team.invite(email, role, invitation);
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
  });
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
