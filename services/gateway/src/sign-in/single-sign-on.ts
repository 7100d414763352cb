import type { Role } from '@parley/contracts';
import { AppError, conflict } from '@parley/kit/errors';
import type { Log } from '@parley/kit/log';
import type { MemberStore, Team } from '../people/members.store.ts';
import { requireOwnerLeft } from '../people/roles.ts';
import { type OpenSession, type Origin, openSession, type SessionDeps } from '../sessions/sessions.ts';
import { type GroupGrant, rolesByGroup } from './group-roles.ts';
import type { IdentityStore } from './identities.store.ts';
import type { Attempt, Claims, IdentityProvider } from './oidc.ts';

export type SsoDeps = SessionDeps & {
  members: MemberStore;
  identities: IdentityStore;
  /** Undefined: single sign-on is off. */
  identityProvider: IdentityProvider | undefined;
  groupGrants: readonly GroupGrant[];
  log: Log;
};

export function requireProvider({ identityProvider }: Pick<SsoDeps, 'identityProvider'>): IdentityProvider {
  if (!identityProvider) throw conflict('Single sign-on is not configured');
  return identityProvider;
}

/** The callback from the provider: finds or creates the account, applies its groups, and opens a session. */
export async function finishSso(
  deps: SsoDeps,
  { callback, attempt, linkTo }: { callback: URL; attempt: Attempt; linkTo: string | undefined },
  origin: Origin,
): Promise<OpenSession> {
  const provider = requireProvider(deps);
  const claims = await provider.finish(callback, attempt);
  const person = await findPerson(deps, provider.issuer, claims, linkTo);
  await applyGroups(deps, person, claims.groups, origin.address);
  const memberships = await deps.people.memberships(person.id);
  const [only] = memberships.length === 1 ? memberships : [];
  return openSession(deps, { id: person.id, passwordHash: null }, only?.workspaceId ?? null, origin, 'sso');
}

async function findPerson(
  { identities, groupGrants }: SsoDeps,
  issuer: string,
  { subject, address, groups }: Claims,
  linkTo: string | undefined,
) {
  const isWelcome = [...rolesByGroup(groups, groupGrants).values()].some((role) => role !== undefined);
  const person = await identities.resolve({ issuer, subject }, { address, linkTo, isWelcome });
  if (person) return person;
  throw new AppError(
    'FORBIDDEN',
    address === undefined
      ? 'The provider has not verified your e-mail address'
      : 'No workspace has invited your e-mail address, and none of your groups grants access to one',
  );
}

/**
 * Groups grant a role, replacing an earlier role or an invitation, and withdraw memberships that they granted. Each
 * workspace has a transaction of its own; the next sign-in repeats failed changes.
 */
async function applyGroups(
  { people, members, groupGrants, log }: SsoDeps,
  person: { id: string; email: string },
  groups: readonly string[],
  address: string,
): Promise<void> {
  const roles = rolesByGroup(groups, groupGrants);
  if (roles.size === 0) return;
  const present = await people.memberships(person.id);
  for (const [workspaceId, role] of roles) {
    const known = present.find((membership) => membership.workspaceId === workspaceId);
    const isByGroups = known?.source === 'groups';
    if (role ? isByGroups && known.role === role : !isByGroups) continue;
    try {
      await members.change(workspaceId, (team) => applyRole(team, person, role, address));
    } catch (err) {
      if (!(err instanceof AppError)) throw err;
      // A deleted or full workspace, or its last owner: the operator has to correct the mapping.
      log.warn(
        { workspaceId, personId: person.id, reason: err.message },
        'the role of a group could not be applied',
      );
    }
  }
}

async function applyRole(
  team: Team,
  person: { id: string; email: string },
  role: Role | undefined,
  address: string,
): Promise<void> {
  const member = team.members.find(({ email }) => email === person.email);
  if (member?.personId && role !== 'owner') requireOwnerLeft(team.members, member);
  if (role) await team.grant({ person, role, address });
  else if (member?.personId === person.id) await team.withdraw(member, address);
}
