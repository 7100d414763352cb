import type { AnyEndpoint } from '@parley/contracts';
import { type Auth, contextOf } from '@parley/kit/http';
import type { Request, RequestHandler, Response } from 'express';
import { authenticate } from '../domain/access/authenticate.ts';
import type { KeyDeps } from '../domain/access/authenticate-key.ts';
import type { SessionAccessDeps, SessionRequest } from '../domain/access/authenticate-session.ts';
import type { Caller } from '../domain/access/caller.ts';
import { requireAllowed } from '../domain/access/require-allowed.ts';
import type { Limiter } from '../domain/limits/bucket.ts';
import {
  bucketOfSession,
  bucketsOf,
  type LimitSettings,
  limitHeaders,
  rateLimited,
} from '../domain/limits/request-limits.ts';
import { isForeign, readSessionCookie } from './session-cookie.ts';

export type AdmissionDeps = KeyDeps &
  SessionAccessDeps & {
    limiter: Limiter;
    limits: LimitSettings;
    /** Where the world reaches us, if the operator has said so. */
    publicUrl: string | undefined;
  };

export type Admission = {
  /** Who asks, by key or session, within the limits; their headers are set. Throws 401, 403, 409 and 429. */
  admit(req: Request, res: Response, endpoint: AnyEndpoint): Promise<Auth>;
  /** For what no route answers: 404 and 405 to a good key carry the limits' headers too, and count (D1.6). */
  admitStray: RequestHandler;
  isSecure(req: Request): boolean;
};

/** The caller of each request that was admitted by a session. */
const callers = new WeakMap<Request, Caller>();

export function openedBy(req: Request): NonNullable<Caller['opened']> {
  const opened = callers.get(req)?.opened;
  if (!opened) throw new Error('the request was not admitted by a session');
  return opened;
}

export function createAdmission(deps: AdmissionDeps): Admission {
  const isSecure = (req: Request): boolean => req.secure || (deps.publicUrl?.startsWith('https:') ?? false);

  const readSession = (req: Request): SessionRequest | undefined => {
    const sessionToken = readSessionCookie(req, isSecure(req));
    if (sessionToken === undefined) return undefined;
    const csrfToken = req.get('x-csrf-token');
    return { method: req.method, sessionToken, csrfToken, isForeign: isForeign(req) };
  };

  const identify = async (req: Request, endpoint: AnyEndpoint | undefined): Promise<Caller> => {
    const asking = { authorization: req.headers.authorization, session: () => readSession(req) };
    const caller = await authenticate(deps, asking, endpoint);
    callers.set(req, caller);
    contextOf(req).auth = { workspaceId: caller.workspaceId, actor: caller.actor };
    return caller;
  };

  const limit = async (res: Response, caller: Caller, endpoint: AnyEndpoint | undefined): Promise<void> => {
    const { limits, opened, workspaceId } = caller;
    const isOwn = endpoint?.access === 'session' || !limits;
    const buckets =
      isOwn && opened
        ? [bucketOfSession(opened.session.id, deps.limits)]
        : limits
          ? bucketsOf(workspaceId, limits, endpoint, deps.limits)
          : [];
    const verdict = await deps.limiter.take(buckets);
    for (const [name, value] of Object.entries(limitHeaders(verdict))) res.setHeader(name, value);
    if (!verdict.allowed) throw rateLimited(verdict);
  };

  return {
    isSecure,
    admit: async (req, res, endpoint) => {
      const caller = await identify(req, endpoint);
      await limit(res, caller, endpoint);
      // Only now, so that a refusal carries the limits' headers too, and counts.
      requireAllowed(endpoint, caller);
      return { workspaceId: caller.workspaceId, actor: caller.actor };
    },
    admitStray: async (req, res, next) => {
      // Without a good key an unknown path is just that.
      const caller = await identify(req, undefined).catch(() => undefined);
      if (caller) await limit(res, caller, undefined);
      next();
    },
  };
}
