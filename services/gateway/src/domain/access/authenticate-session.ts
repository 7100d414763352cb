import type { AnyEndpoint } from '@parley/contracts';
import { AppError } from '@parley/kit/errors';
import { type Actor, NO_WORKSPACE } from '@parley/kit/http';
import type { Clock } from '@parley/kit/time';
import type { FailureLimit } from '../limits/limit-failures.ts';
import type { KnownSession } from '../people/ports.ts';
import { isOver, type SessionLife } from '../people/session-life.ts';
import { csrfTokenOf, hashToken, isSameToken } from '../people/tokens.ts';
import { noBearer } from './authenticate-key.ts';
import type { Caller } from './caller.ts';
import type { Briefly } from './remember-briefly.ts';
import type { UseRecorder } from './use-recorder.ts';

export type SessionAccessDeps = {
  sessions: Briefly<KnownSession>;
  sessionUse: UseRecorder;
  sessionLife: SessionLife;
  failures: FailureLimit;
  pepper: string;
  clock: Clock;
};

/** What a request tells of its session. */
export type SessionRequest = {
  method: string;
  /** Of the cookie. */
  sessionToken: string;
  csrfToken: string | undefined;
  /** Another site's page has sent it, as the browser says. */
  isForeign: boolean;
};

/**
 * A person who is signed in (D2.3). The cookie alone reads; what changes something must come from a page of our own, and
 * prove it by a token that only such a page can read.
 */
export async function authenticateSession(
  deps: SessionAccessDeps,
  { method, sessionToken, csrfToken = '', isForeign }: SessionRequest,
  endpoint: AnyEndpoint | undefined,
  address: string,
): Promise<Caller> {
  const hash = hashToken('session', sessionToken, deps.pepper);
  if (!deps.sessions.knows(hash)) deps.failures.requireFew(address);
  const session = await deps.sessions.findByHash(hash);
  // Whoever sent no key and has no session is told what is told without either.
  if (!session || isOver(session, deps.sessionLife, deps.clock)) throw noBearer(endpoint);
  const isRead = method === 'GET' || method === 'HEAD';
  if (!isRead && isForeign)
    throw new AppError('FORBIDDEN', 'A session changes nothing for a page of another origin');
  if (!isRead && !isSameToken(csrfToken, csrfTokenOf(sessionToken, deps.pepper)))
    throw new AppError('FORBIDDEN', 'Send the csrf_token of the session as x-csrf-token');
  const { member } = session;
  const actor: Actor = member
    ? { kind: 'member', id: member.id, role: member.role }
    : { kind: 'member', id: session.personId };
  deps.sessionUse.record(session.id);
  return {
    workspaceId: member?.workspaceId ?? NO_WORKSPACE,
    actor,
    limits: member?.limits,
    opened: { session, token: sessionToken },
  };
}
