import { AppError, notFound } from '@parley/kit/errors';
import { newId } from '@parley/kit/ids';
import type { Clock } from '@parley/kit/time';
import type { Briefly } from '../access/remember-briefly.ts';
import { findByPassword, wrongPassword } from './by-password.ts';
import type { Passwords } from './password.ts';
import type { KnownSession, PeopleStore, Person, SessionStore } from './ports.ts';
import { isOver, type SessionLife } from './session-life.ts';
import { csrfTokenOf, hashToken, newToken } from './tokens.ts';

export type SessionDeps = {
  people: PeopleStore;
  sessionStore: SessionStore;
  /** What requests know of sessions. */
  sessions: Briefly<KnownSession>;
  passwords: Passwords;
  pepper: string;
  clock: Clock;
  sessionLife: SessionLife;
};

export type Origin = {
  address: string;
  userAgent: string;
  /** Of the session that the browser had until now: it ends with the new one, whoever's it was. */
  formerToken: string | undefined;
};
/** A session with its token, which its cookie carries and nobody stores. */
export type Opened = { session: KnownSession; token: string };

const LONGEST_USER_AGENT = 300;

export async function signIn(
  deps: SessionDeps,
  { email, password, workspaceId }: { email: string; password: string; workspaceId: string | undefined },
  origin: Origin,
): Promise<Opened> {
  const person = await findByPassword(deps, email, password);
  if (!person) throw wrongPassword();
  const memberships = await deps.people.memberships(person.id);
  const picked = workspaceId
    ? memberships.find((membership) => membership.workspaceId === workspaceId)
    : memberships.length === 1
      ? memberships[0]
      : undefined;
  if (workspaceId && !picked) throw new AppError('FORBIDDEN', 'The person is no member of this workspace');
  return openSession(deps, person, picked?.workspaceId ?? null, origin);
}

/** Of whoever has just shown the password of `person`; `UNAUTHORIZED` where it was changed meanwhile. */
export async function openSession(
  { sessionStore, sessions, pepper, clock, sessionLife }: SessionDeps,
  { id: personId, passwordHash }: Pick<Person, 'id' | 'passwordHash'>,
  workspaceId: string | null,
  { address, userAgent, formerToken }: Origin,
): Promise<Opened> {
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
    userAgent: userAgent.slice(0, LONGEST_USER_AGENT),
  };
  const formerHash = formerToken && hashToken('session', formerToken, pepper);
  if (!(await sessionStore.create(row, passwordHash, formerHash))) throw wrongPassword();
  if (formerHash) sessions.forget(formerHash);
  // Known from now on: the next request of it is no guess.
  const session = await sessions.findByHash(tokenHash);
  if (!session) throw new Error('the session is gone already');
  return { session, token };
}

export async function whoAmI({ people, pepper }: SessionDeps, { session, token }: Opened) {
  const memberships = await people.memberships(session.personId);
  const shown = memberships.map(({ workspaceId, workspaceName, role }) => ({
    workspace_id: workspaceId,
    workspace_name: workspaceName,
    role,
  }));
  const picked = shown.find(({ workspace_id }) => workspace_id === session.member?.workspaceId);
  return {
    session_id: session.id,
    person: { id: session.personId, email: session.email },
    workspace: picked ?? null,
    workspaces: shown,
    csrf_token: csrfTokenOf(token, pepper),
    expires_at: session.expiresAt.toISOString(),
  };
}

export async function pickWorkspace(deps: SessionDeps, { session, token }: Opened, workspaceId: string) {
  const memberships = await deps.people.memberships(session.personId);
  if (!memberships.some((membership) => membership.workspaceId === workspaceId)) throw notFound('Workspace');
  await deps.sessionStore.pick(session.id, workspaceId);
  const hash = hashToken('session', token, deps.pepper);
  deps.sessions.forget(hash);
  // Still known: the next request of it is no guess.
  const picked = await deps.sessions.findByHash(hash);
  return whoAmI(deps, { session: picked ?? session, token });
}

export async function listSessions(
  { sessionStore, clock, sessionLife }: SessionDeps,
  { session }: Pick<Opened, 'session'>,
) {
  const rows = await sessionStore.list(session.personId);
  return rows
    .filter((row) => !isOver(row, sessionLife, clock))
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

/** One of the person's own: on other replicas it is refused within a second, here at once where it is the asking one. */
export async function endSession(
  { sessionStore, sessions, pepper }: SessionDeps,
  { session, token }: Opened,
  id: string,
): Promise<void> {
  if (!(await sessionStore.remove(session.personId, id))) throw notFound('Session');
  if (id === session.id) sessions.forget(hashToken('session', token, pepper));
}

/** Whoever else is signed in as this person is not any more. */
export async function changePassword(
  { people, passwords }: SessionDeps,
  { session }: Pick<Opened, 'session'>,
  change: { currentPassword: string; newPassword: string },
): Promise<void> {
  const person = await people.findByEmail(session.email);
  if (!(await passwords.verify(change.currentPassword, person?.passwordHash)))
    throw new AppError('FORBIDDEN', 'current_password is wrong');
  await people.setPassword(session.personId, await passwords.hash(change.newPassword), session.id);
}
