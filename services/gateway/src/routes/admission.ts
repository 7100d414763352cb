import type { IncomingMessage, ServerResponse } from 'node:http';
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
import { addressOf, type Trust } from './address-of.ts';
import { isForeign, readSessionCookie } from './session-cookie.ts';

export type AdmissionDeps = KeyDeps &
  SessionAccessDeps & {
    limiter: Limiter;
    limits: LimitSettings;
    /** Where the world reaches us, if the operator has said so. */
    publicUrl: string | undefined;
    trust: Trust;
  };

export type Admission = {
  /** Who asks, by key or session, within the limits; their headers are set. Throws 401, 403, 409 and 429. */
  admit(req: Request, res: Response, endpoint: AnyEndpoint): Promise<Auth>;
  /** The same of a request that carries a key, and so needs nothing of Express. */
  admitKey(req: IncomingMessage, res: ServerResponse, endpoint: AnyEndpoint): Promise<Auth>;
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
    const { authorization } = req.headers;
    const asking = { address: req.ip ?? '', authorization, session: () => readSession(req) };
    const caller = await authenticate(deps, asking, endpoint);
    callers.set(req, caller);
    note(req, caller);
    return caller;
  };

  const note = (req: IncomingMessage, { workspaceId, actor }: Caller): void => {
    contextOf(req).auth = { workspaceId, actor };
  };

  const limit = async (
    res: ServerResponse,
    caller: Caller,
    endpoint: AnyEndpoint | undefined,
  ): Promise<void> => {
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

  const letIn = async (res: ServerResponse, endpoint: AnyEndpoint, caller: Caller): Promise<Auth> => {
    await limit(res, caller, endpoint);
    // Only now, so that a refusal carries the limits' headers too, and counts.
    requireAllowed(endpoint, caller);
    return { workspaceId: caller.workspaceId, actor: caller.actor };
  };

  return {
    isSecure,
    admit: async (req, res, endpoint) => letIn(res, endpoint, await identify(req, endpoint)),
    admitKey: async (req, res, endpoint) => {
      const { authorization } = req.headers;
      const asking = { address: addressOf(req, deps.trust), authorization, session: () => undefined };
      const caller = await authenticate(deps, asking, endpoint);
      note(req, caller);
      return letIn(res, endpoint, caller);
    },
    admitStray: async (req, res, next) => {
      // Without a good key an unknown path is just that.
      const caller = await identify(req, undefined).catch(() => undefined);
      if (caller) await limit(res, caller, undefined);
      next();
    },
  };
}
