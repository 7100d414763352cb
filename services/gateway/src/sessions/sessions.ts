import { AppError, notFound } from '@parley/kit/errors';
import { newId } from '@parley/kit/ids';
import type { Clock } from '@parley/kit/time';
import type { CredentialCache } from '../access/credential-cache.ts';
import type { Limiter } from '../limits/bucket.ts';
import { limitByHour } from '../limits/limit-anonymous.ts';
import type { AccountChange } from '../people/changes.ts';
import type { Person } from '../people/people.store.ts';
import { issueChallenge, passwordFirst, type UsedChallenge } from '../sign-in/challenge.ts';
import {
  checkPassword,
  type GuessedFrom,
  type PasswordDeps,
  wrongPassword,
} from '../sign-in/check-password.ts';
import { requirePassword } from '../sign-in/own-password.ts';
import type { SecondFactorStore } from '../sign-in/second-factors.store.ts';
import { hasExpired, type SessionLife } from './session-life.ts';
import type { KnownSession, SessionStore, SignedInBy } from './sessions.store.ts';
import { csrfTokenOf, hashToken, newToken } from './tokens.ts';

export type SessionDeps = PasswordDeps & {
  sessionStore: SessionStore;
  sessions: CredentialCache<KnownSession>;
  limiter: Limiter;
  pepper: string;
  clock: Clock;
  sessionLife: SessionLife;
};

export type Origin = GuessedFrom & {
  userAgent: string;
  /** The token of the browser's former session, of any person, which the new one replaces. */
  formerToken: string | undefined;
};
/** A session with its token, which only its cookie contains. */
export type OpenSession = { session: KnownSession; token: string };

const MAX_USER_AGENT_LENGTH = 300;
const PASSWORD_CHANGES_PER_HOUR = 5;

/** A session, or for an account with a second factor a challenge for `finishSignIn`. */
export type SignedIn = { opened: OpenSession } | { challenge: string };

export async function signIn(
  deps: SessionDeps & { secondFactors: SecondFactorStore },
  { email, password, workspaceId }: { email: string; password: string; workspaceId: string | undefined },
  origin: Origin,
): Promise<SignedIn> {
  const accounts = await deps.people.findByEmail(email);
  const right = await checkPassword(deps, { email, password, accounts }, origin);
  const { person, picked } = await pickAccount(deps, right, workspaceId);
  if (person.passwordHash !== null && (await deps.secondFactors.find(person.id))?.enabledAt) {
    const shown = { personId: person.id, workspaceId: picked };
    return { challenge: issueChallenge(shown, person.passwordHash, deps.pepper) };
  }
  return { opened: await openSession(deps, person, picked, origin) };
}

/**
 * Selects one of the accounts whose password matches (nearly always one): the member of the requested workspace, or else
 * the first. The session begins in the requested workspace, or in the only one.
 */
async function pickAccount(
  { people }: SessionDeps,
  right: readonly Person[],
  workspaceId: string | undefined,
) {
  for (const person of right) {
    const ids = (await people.memberships(person.id)).map((membership) => membership.workspaceId);
    if (!workspaceId) return { person, picked: ids.length === 1 ? (ids[0] ?? null) : null };
    if (ids.includes(workspaceId)) return { person, picked: workspaceId };
  }
  throw new AppError('FORBIDDEN', 'You are not a member of this workspace');
}

/**
 * Call it after the password of `person` was verified (null: single sign-on), or a challenge and a code. Throws
 * `UNAUTHORIZED` if the password was changed, or the challenge used, in the meantime.
 */
export async function openSession(
  { sessionStore, sessions, pepper, clock, sessionLife }: SessionDeps,
  { id: personId, passwordHash }: Pick<Person, 'id' | 'passwordHash'>,
  workspaceId: string | null,
  { address, userAgent, formerToken }: Origin,
  shown: SignedInBy | UsedChallenge = 'password',
): Promise<OpenSession> {
  const challenge = typeof shown === 'string' ? undefined : shown;
  const token = newToken();
  const tokenHash = hashToken('session', token, pepper);
  const now = clock.now();
  const row = {
    id: newId(),
    personId,
    workspaceId,
    tokenHash,
    createdAt: now,
    lastSeenAt: now,
    expiresAt: new Date(now.getTime() + sessionLife.absoluteMs),
    address,
    userAgent: userAgent.slice(0, MAX_USER_AGENT_LENGTH),
    signedInBy: typeof shown === 'string' ? shown : ('second_factor' as const),
  };
  const formerHash = formerToken && hashToken('session', formerToken, pepper);
  if (!(await sessionStore.create(row, { passwordHash, formerHash, challenge })))
    throw challenge ? passwordFirst() : wrongPassword();
  if (formerHash) sessions.forget(formerHash);
  // Cached, so that its next request does not count as a guess.
  const session = await sessions.findByHash(tokenHash);
  if (!session) throw new Error('a new session was not found');
  return { session, token };
}

export async function whoAmI({ people, pepper }: SessionDeps, { session, token }: OpenSession) {
  const memberships = await people.memberships(session.personId);
  const shown = memberships.map(({ workspaceId, workspaceName, role }) => ({
    workspace_id: workspaceId,
    workspace_name: workspaceName,
    role,
  }));
  const picked = shown.find(({ workspace_id }) => workspace_id === session.member?.workspaceId);
  return {
    session_id: session.id,
    person: { id: session.personId, email: session.email, is_address_proved: session.isAddressProved },
    workspace: picked ?? null,
    workspaces: shown,
    signed_in_by: session.signedInBy,
    csrf_token: csrfTokenOf(token, pepper),
    expires_at: session.expiresAt.toISOString(),
  };
}

export async function pickWorkspace(deps: SessionDeps, { session, token }: OpenSession, workspaceId: string) {
  const memberships = await deps.people.memberships(session.personId);
  if (!memberships.some((membership) => membership.workspaceId === workspaceId)) throw notFound('Workspace');
  await deps.sessionStore.pick(session.id, workspaceId);
  const hash = hashToken('session', token, deps.pepper);
  deps.sessions.forget(hash);
  // Cached again, so that its next request does not count as a guess.
  const picked = await deps.sessions.findByHash(hash);
  return whoAmI(deps, { session: picked ?? session, token });
}

export async function listSessions(
  { sessionStore, clock, sessionLife }: SessionDeps,
  { session }: Pick<OpenSession, 'session'>,
) {
  const rows = await sessionStore.list(session.personId);
  return rows
    .filter((row) => !hasExpired(row, sessionLife, clock))
    .map((row) => ({
      id: row.id,
      is_current: row.id === session.id,
      address: row.address,
      user_agent: row.userAgent,
      created_at: row.createdAt.toISOString(),
      last_seen_at: row.lastSeenAt.toISOString(),
      expires_at: row.expiresAt.toISOString(),
    }));
}

/**
 * Ends one of the person's own sessions: at once on this replica if it is the current one, within a second
 * elsewhere.
 */
export async function endSession(
  { sessionStore, sessions, pepper }: SessionDeps,
  { session, token }: OpenSession,
  id: string,
): Promise<void> {
  if (!(await sessionStore.remove(session.personId, id))) throw notFound('Session');
  if (id === session.id) sessions.forget(hashToken('session', token, pepper));
}

/** Ends all other sessions of the person. */
export async function changePassword(
  deps: SessionDeps,
  { session }: Pick<OpenSession, 'session'>,
  change: { currentPassword: string; newPassword: string },
  by: AccountChange,
): Promise<void> {
  await requirePassword(deps, session, change.currentPassword);
  // Each new password could be a guess at another account of the address (`checkPassword`).
  const changes = { kind: 'password-changes', of: session.personId };
  await limitByHour(deps.limiter, changes, PASSWORD_CHANGES_PER_HOUR);
  const hashing = { lane: `person ${session.personId}`, isKnown: true, email: session.email };
  const passwordHash = await deps.passwords.hash(change.newPassword, hashing);
  await deps.people.setPassword(session.personId, passwordHash, session.id, by);
}
