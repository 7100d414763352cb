import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AnyEndpoint } from '@parley/contracts';
import { AppError } from '@parley/kit/errors';
import { type Auth, contextOf } from '@parley/kit/http';
import type { Request, RequestHandler, Response } from 'express';
import type { Bucket, Limiter } from '../limits/bucket.ts';
import {
  bucketOfKeys,
  bucketOfPerson,
  bucketOfRefused,
  bucketsOf,
  bucketsOfPublicKey,
  type LimitSettings,
  limitHeaders,
  rateLimited,
} from '../limits/request-limits.ts';
import { type Arrived, announcedTokens, chargesFor, weighed } from '../limits/request-weight.ts';
import { isCrossSite, sessionCookie } from '../sign-in/cookies.ts';
import type { Turns } from '../turns/turns.ts';
import {
  authenticateCaller,
  type Caller,
  type KeyDeps,
  type SessionAccessDeps,
  type SessionRequest,
} from './authenticate-caller.ts';
import { addressOf, type Trust } from './client-address.ts';
import { type RequestOrigin, requireAllowed, requireKeyHere, requireStorage } from './require-allowed.ts';

export type AdmissionDeps = KeyDeps &
  SessionAccessDeps & {
    limiter: Limiter;
    limits: LimitSettings & { maxStoredMb: number | null };
    publicUrl: string | undefined;
    trust: Trust;
    turns: Pick<Turns, 'leave'>;
  };

export type Admission = {
  /** Authenticates by key or session, applies the limits and sets their headers. Throws 401, 403, 409 and 429. */
  admit(req: Request, res: Response, endpoint: AnyEndpoint): Promise<Auth>;
  /** The same for a request that bypasses Express: with a key or without credentials. A session is not read. */
  admitWithoutSession(req: IncomingMessage, res: ServerResponse, endpoint: AnyEndpoint): Promise<Auth>;
  /** For paths without a route: with a valid key, 404 and 405 count and carry the limits' headers too [general.17]. */
  admitUnrouted: RequestHandler;
  /** Charges for the part of an admitted request's body that was not announced. */
  chargeArrived(req: IncomingMessage, arrived: Arrived): Promise<void>;
  isSecure(req: Request): boolean;
};

/** What a running request has been charged. */
type Paid = { buckets: readonly Bucket[]; tokens: number; isUpload: boolean };

/** The caller of each request that was admitted by a session. */
const callers = new WeakMap<Request, Caller>();

export function openSessionOf(req: Request): NonNullable<Caller['opened']> {
  const opened = callers.get(req)?.opened;
  if (!opened) throw new Error('the request was not admitted by a session');
  return opened;
}

export function createAdmission(deps: AdmissionDeps): Admission {
  const paid = new WeakMap<IncomingMessage, Paid>();
  const isSecure = (req: Request): boolean => req.secure || (deps.publicUrl?.startsWith('https:') ?? false);

  const readSession = (req: Request): SessionRequest | undefined => {
    const sessionToken = sessionCookie.read(req, isSecure(req));
    if (sessionToken === undefined) return undefined;
    const csrfToken = req.get('x-csrf-token');
    const shownWorkspaceId = req.get('x-workspace-id');
    return { method: req.method, sessionToken, csrfToken, isCrossSite: isCrossSite(req), shownWorkspaceId };
  };

  const identify = async (
    req: Request,
    res: ServerResponse,
    endpoint: AnyEndpoint | undefined,
  ): Promise<Caller> => {
    const { authorization } = req.headers;
    const credentials = {
      address: req.ip ?? '',
      authorization,
      session: () => readSession(req),
      beforeDelay: () => deps.turns.leave(res),
    };
    const caller = await authenticateCaller(deps, credentials, endpoint);
    callers.set(req, caller);
    recordAuth(req, caller);
    return caller;
  };

  const recordAuth = (req: IncomingMessage, { workspaceId, actor }: Caller): void => {
    contextOf(req).auth = { workspaceId, actor };
  };

  const limit = async (
    res: ServerResponse,
    buckets: Bucket[],
    endpoint: AnyEndpoint | undefined,
  ): Promise<void> => {
    const { req } = res;
    const tokens = announcedTokens(req.headers, endpoint);
    paid.set(req, { buckets, tokens, isUpload: endpoint?.body === 'stream' });
    const verdict = await deps.limiter.take(weighed(buckets, tokens), () => deps.turns.leave(res));
    for (const [name, value] of Object.entries(limitHeaders(verdict))) res.setHeader(name, value);
    if (!verdict.allowed) throw rateLimited(verdict);
  };

  const bucketsFor = (
    caller: Caller,
    endpoint: AnyEndpoint | undefined,
    { address }: RequestOrigin,
    { isAllowedHere, isRefused }: { isAllowedHere: boolean; isRefused: boolean },
  ): Bucket[] => {
    const { limits, opened, workspaceId, key } = caller;
    const ofPerson = opened && bucketOfPerson(opened.session.personId, deps.limits);
    if (!limits) return ofPerson ? [ofPerson] : [];
    if (key?.type === 'public')
      return bucketsOfPublicKey({ workspaceId, limits, key, address, isRefused }, deps.limits);
    if (key && !isAllowedHere) return [bucketOfRefused(workspaceId, key.id)];
    const requests = ofPerson ?? bucketOfKeys(workspaceId, limits, deps.limits);
    return bucketsOf(requests, workspaceId, limits, endpoint, deps.limits);
  };

  /** Refused requests count and carry the limits' headers too. */
  const authorize = async (
    req: IncomingMessage,
    res: ServerResponse,
    endpoint: AnyEndpoint | undefined,
    { caller, address }: { caller: Caller; address: string },
  ): Promise<Auth> => {
    const from = { address, origin: req.headers.origin };
    const notHere = refusalBy(() => requireKeyHere(caller, from));
    const refusal =
      notHere ??
      (endpoint &&
        refusalBy(() => {
          requireAllowed(endpoint, caller);
          requireStorage(endpoint, caller, deps.limits);
        }));
    const isRefused = !endpoint || refusal !== undefined;
    await limit(res, bucketsFor(caller, endpoint, from, { isAllowedHere: !notHere, isRefused }), endpoint);
    if (refusal) throw refusal;
    return { workspaceId: caller.workspaceId, actor: caller.actor, ...(address ? { address } : {}) };
  };

  return {
    isSecure,
    chargeArrived: async (req, arrived) => {
      const { buckets, tokens, isUpload } = paid.get(req) ?? { buckets: [], tokens: 0, isUpload: false };
      const charges = chargesFor(buckets, arrived, tokens, isUpload);
      if (charges.length > 0) await deps.limiter.charge(charges);
    },
    admit: async (req, res, endpoint) =>
      authorize(req, res, endpoint, { caller: await identify(req, res, endpoint), address: req.ip ?? '' }),
    admitWithoutSession: async (req, res, endpoint) => {
      const { authorization } = req.headers;
      const address = addressOf(req, deps.trust);
      const credentials = {
        address,
        authorization,
        session: () => undefined,
        beforeDelay: () => deps.turns.leave(res),
      };
      const caller = await authenticateCaller(deps, credentials, endpoint);
      recordAuth(req, caller);
      return authorize(req, res, endpoint, { caller, address });
    },
    admitUnrouted: async (req, res, next) => {
      // Without a valid key the response is a plain 404.
      const caller = await identify(req, res, undefined).catch(() => undefined);
      if (caller) await authorize(req, res, undefined, { caller, address: req.ip ?? '' });
      next();
    },
  };
}

function refusalBy(check: () => void): AppError | undefined {
  try {
    check();
  } catch (err) {
    if (err instanceof AppError) return err;
    throw err;
  }
  return undefined;
}
