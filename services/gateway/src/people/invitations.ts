import { AppError, notFound } from '@parley/kit/errors';
import { newId } from '@parley/kit/ids';
import { limitByHour } from '../limits/limit-anonymous.ts';
import { guessNetworkOf } from '../limits/networks.ts';
import { hasExpired } from '../sessions/session-life.ts';
import type { KnownSession, SignedInBy } from '../sessions/sessions.store.ts';
import { type OpenSession, type Origin, openSession, type SessionDeps } from '../sessions/sessions.ts';
import { hashToken, isSameToken, mailedProofOf } from '../sessions/tokens.ts';
import { checkPassword, wrongPassword } from '../sign-in/check-password.ts';
import type { SecondFactorStore } from '../sign-in/second-factors.store.ts';
import type { MemberStore, OpenInvitation } from './members.store.ts';
import type { NewPerson, Person } from './people.store.ts';

/** Accounts of one address that a workspace may create. */
const ACCOUNTS_PER_HOUR = 5;

type Deps = SessionDeps & { members: MemberStore; secondFactors: SecondFactorStore };

/** Throws `404 NOT_FOUND` for an unknown, used, replaced or expired token. */
export async function findInvitation(
  { members, clock, pepper }: Pick<Deps, 'members' | 'clock' | 'pepper'>,
  token: string,
): Promise<OpenInvitation> {
  const invitation = await members.findInvitation(hashToken('invitation', bareTokenOf(token), pepper));
  if (!invitation || invitation.expiresAt <= clock.now()) throw notFound('Invitation');
  return invitation;
}

/**
 * The account that an invitation is for: the one that has proved the address, or else the workspace's own. Unproved
 * accounts of the address in other workspaces are ignored [access.11].
 */
export async function findInvited(
  { people }: Pick<Deps, 'people'>,
  { member, workspaceId }: OpenInvitation,
): Promise<Person | undefined> {
  const accounts = await people.findByEmail(member.email);
  return accounts.find(({ provedAt, homeWorkspaceId }) => provedAt || homeWorkspaceId === workspaceId);
}

/**
 * Joins a workspace. The token alone may create an account for an address without one; an existing account requires
 * its password or a session of it, so that an invitation to one workspace never gives access to another.
 */
export async function acceptInvitation(
  deps: Deps,
  { token, password }: { token: string; password: string | undefined },
  origin: Origin,
): Promise<OpenSession> {
  const invitation = await findInvitation(deps, token);
  const { workspaceId } = invitation;
  const { email } = invitation.member;
  const known = await findInvited(deps, invitation);
  const hash = hashToken('invitation', bareTokenOf(token), deps.pepper);
  const how = { address: origin.address, provesAddress: isMailed(token, deps.pepper) };
  if (!known) {
    // Each password of a new account could be a guess at another account of the address (`checkPassword`).
    await limitByHour(deps.limiter, { kind: 'accounts', of: `${workspaceId} ${email}` }, ACCOUNTS_PER_HOUR);
    const person = await newPerson(deps, { email, password, workspaceId }, origin);
    await deps.members.accept(hash, person, how);
    return openSession(deps, person, workspaceId, origin);
  }
  const { person, signedInBy } = await requireOwner(deps, known, password, origin);
  await deps.members.accept(hash, { id: person.id }, how);
  return openSession(deps, person, workspaceId, origin, signedInBy);
}

/** A mailed link has a proof appended to the token. */
const bareTokenOf = (token: string): string => token.split('.')[0] ?? '';

function isMailed(token: string, pepper: string): boolean {
  const [bare = '', proof = ''] = token.split('.');
  return isSameToken(proof, mailedProofOf(bare, pepper));
}

/** By the browser's session, or by the password if that is enough. */
async function requireOwner(
  deps: Deps,
  known: Person,
  password: string | undefined,
  origin: Origin,
): Promise<{ person: Person; signedInBy: SignedInBy }> {
  if (password === undefined) {
    const session = await sessionOf(deps, origin);
    if (session?.personId === known.id) return { person: known, signedInBy: session.signedInBy };
    throw new AppError('UNAUTHORIZED', 'Sign in to the account, or send its password');
  }
  const [person] = await checkPassword(deps, { email: known.email, password, accounts: [known] }, origin);
  if (!person) throw wrongPassword();
  if ((await deps.secondFactors.find(person.id))?.enabledAt)
    throw new AppError(
      'UNAUTHORIZED',
      'The account has a second factor: sign in first, then accept without a password',
    );
  return { person, signedInBy: 'password' };
}

async function newPerson(
  { passwords }: Deps,
  { email, password, workspaceId }: { email: string; password: string | undefined; workspaceId: string },
  { address }: Origin,
): Promise<NewPerson> {
  if (password === undefined) throw new AppError('UNAUTHORIZED', 'A new account needs a password');
  const passwordHash = await passwords.hash(password, {
    lane: guessNetworkOf(address),
    isKnown: true,
    email,
  });
  return { id: newId(), email, passwordHash, homeWorkspaceId: workspaceId };
}

/** The session of the browser that sends the request. */
export async function sessionOf(
  { sessions, pepper, sessionLife, clock }: SessionDeps,
  { formerToken }: Origin,
): Promise<KnownSession | undefined> {
  if (!formerToken) return undefined;
  const session = await sessions.findByHash(hashToken('session', formerToken, pepper));
  return session && !hasExpired(session, sessionLife, clock) ? session : undefined;
}

/** The dashboard's page for a token. A fragment reaches no server and no log. */
export const invitationLink =
  (publicUrl: string) =>
  (token: string): string =>
    `${publicUrl.replace(/\/$/, '')}/dashboard/invitation#${token}`;
