import type { AnyEndpoint } from '@parley/contracts';
import { AppError } from '@parley/kit/errors';
import { type Actor, NO_WORKSPACE } from '@parley/kit/http';
import type { Clock } from '@parley/kit/time';
import type { KnownKey } from '../keys/key-lookup.store.ts';
import type { FailureLimit } from '../limits/limit-failures.ts';
import type { WorkspaceLimits } from '../limits/request-limits.ts';
import { hasExpired, type SessionLife } from '../sessions/session-life.ts';
import type { KnownSession } from '../sessions/sessions.store.ts';
import type { OpenSession } from '../sessions/sessions.ts';
import { csrfTokenOf, hashToken, isSameToken } from '../sessions/tokens.ts';
import type { CredentialCache } from './credential-cache.ts';
import type { UseRecorder } from './use-recorder.ts';

/** The caller of a request, identified by a key or a session. */
export type Caller = {
  /** `NO_WORKSPACE` in a session without a selected workspace. */
  workspaceId: string;
  actor: Actor;
  /** Limits of the workspace; undefined if none is selected. */
  limits: WorkspaceLimits | undefined;
  opened?: OpenSession;
  /** The workspace that the page of the session shows, if it said so. */
  shownWorkspaceId?: string | undefined;
  /** The client address, for the audit log. */
  address?: string;
  key?: Pick<KnownKey, 'id' | 'type' | 'settings' | 'networks'>;
};

export type KeyDeps = {
  keys: CredentialCache<KnownKey>;
  keyUse: UseRecorder;
  failures: FailureLimit;
  /** For `keys`; undefined for a malformed key. */
  hashOf(key: string): string | undefined;
  clock: Clock;
};

export type SessionAccessDeps = {
  sessions: CredentialCache<KnownSession>;
  sessionUse: UseRecorder;
  sessionLife: SessionLife;
  failures: FailureLimit;
  pepper: string;
  clock: Clock;
};

/** The session credentials of a request. */
export type SessionRequest = {
  method: string;
  sessionToken: string;
  csrfToken: string | undefined;
  /** Sent by a page of another site, according to the browser. */
  isCrossSite: boolean;
  /** The workspace that the page shows; another tab may have selected another one. */
  shownWorkspaceId: string | undefined;
};

export type Credentials = {
  address: string;
  authorization: string | undefined;
  /** Read only if no key was sent; undefined: no session either. */
  session: () => SessionRequest | undefined;
  /** Called before the refusal of a caller with too many failed authentications is delayed. */
  beforeDelay: () => void;
};

const BEARER = /^bearer(?:\s|$)/i;

export function isBearer(authorization: string | undefined): authorization is string {
  return authorization !== undefined && BEARER.test(authorization);
}

/**
 * Identifies the caller by a key, or by a session if no key was sent. Throws `UNAUTHORIZED`; `FORBIDDEN` for a change that
 * another site's page may have sent; `RATE_LIMITED` for an address with too many failed authentications. `endpoint` only
 * decides the wording of a 401.
 */
export async function authenticateCaller(
  deps: KeyDeps & SessionAccessDeps,
  { address, authorization, session, beforeDelay }: Credentials,
  endpoint: AnyEndpoint | undefined,
): Promise<Caller> {
  const credentials = isBearer(authorization) ? authorization : session();
  if (!credentials) throw noCredentials(endpoint);
  try {
    const caller =
      typeof credentials === 'string'
        ? await authenticateKey(deps, credentials, address)
        : await authenticateSession(deps, credentials, endpoint, address);
    return { ...caller, address };
  } catch (err) {
    if (err instanceof AppError && err.code === 'UNAUTHORIZED')
      await deps.failures.count(address, beforeDelay);
    throw err;
  }
}

/** An unknown, inactive or expired key is 401 [access.2]. */
async function authenticateKey(
  { keys, keyUse, failures, hashOf, clock }: KeyDeps,
  authorization: string,
  address: string,
): Promise<Caller> {
  const hash = hashOf(authorization.slice('bearer'.length).trim());
  if (hash === undefined) throw invalidKey();
  if (!keys.knows(hash)) failures.requireFew(address);
  const key = await keys.findByHash(hash);
  if (!key || !isValidKey(key, clock)) throw invalidKey();
  const kind = key.type === 'private' ? ('key' as const) : ('public_key' as const);
  const actor = { kind, id: key.id, ...(key.scope ? { scope: key.scope } : {}) };
  keyUse.record(key.id);
  return { workspaceId: key.workspaceId, actor, limits: key.limits, key };
}

export function isValidKey(
  { isActive, expiresAt }: Pick<KnownKey, 'isActive' | 'expiresAt'>,
  clock: Clock,
): boolean {
  return isActive && (expiresAt === null || expiresAt > clock.now());
}

/** The cookie alone allows reads; a change also needs a CSRF token and must not come from a page of another site [access.6]. */
async function authenticateSession(
  deps: SessionAccessDeps,
  { method, sessionToken, csrfToken = '', isCrossSite, shownWorkspaceId }: SessionRequest,
  endpoint: AnyEndpoint | undefined,
  address: string,
): Promise<Caller> {
  const hash = hashToken('session', sessionToken, deps.pepper);
  if (!deps.sessions.knows(hash)) deps.failures.requireFew(address);
  const known = await deps.sessions.findByHash(hash);
  // Another replica may have just selected the workspace that the page shows.
  const isElsewhere = shownWorkspaceId !== undefined && known?.member?.workspaceId !== shownWorkspaceId;
  const session = known && isElsewhere ? await deps.sessions.findAgain(hash) : known;
  // The same response as without a cookie.
  if (!session || hasExpired(session, deps.sessionLife, deps.clock)) throw noCredentials(endpoint);
  const isRead = method === 'GET' || method === 'HEAD';
  if (!isRead && isCrossSite)
    throw new AppError('FORBIDDEN', 'Cross-origin session requests are not allowed');
  if (!isRead && !isSameToken(csrfToken, csrfTokenOf(sessionToken, deps.pepper)))
    throw new AppError('FORBIDDEN', 'Send the csrf_token of the session as x-csrf-token');
  deps.sessionUse.record(session.id);
  return { ...callerOfSession({ session, token: sessionToken }), shownWorkspaceId };
}

export function callerOfSession(opened: OpenSession): Caller {
  const { personId, email, member } = opened.session;
  const actor: Actor = member
    ? { kind: 'member', id: member.id, role: member.role, email }
    : { kind: 'member', id: personId };
  return { workspaceId: member?.workspaceId ?? NO_WORKSPACE, actor, limits: member?.limits, opened };
}

function invalidKey(): AppError {
  return new AppError('UNAUTHORIZED', 'The API key is invalid, inactive or expired');
}

/** Some routes return `errorMessage` for a missing key [general.11]. */
function noCredentials(endpoint: AnyEndpoint | undefined): AppError {
  const kind = endpoint?.access === 'widget' ? 'public' : 'private';
  const message =
    endpoint?.access === 'session'
      ? 'Sign in first'
      : `Send your ${kind} API key as Authorization: Bearer <API_KEY>`;
  return new AppError(
    'UNAUTHORIZED',
    message,
    endpoint?.errorMessage401 ? { httpBody: { success: false, errorMessage: message } } : {},
  );
}
