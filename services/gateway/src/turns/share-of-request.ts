import type { IncomingMessage } from 'node:http';
import { publicShareOf } from '@parley/kit/http';
import { networkOf } from '@parley/kit/outbound';
import { isBearer, type KeyDeps, type SessionAccessDeps } from '../access/authenticate-caller.ts';
import { addressOf, type Trust } from '../access/client-address.ts';
import { hashToken } from '../sessions/tokens.ts';
import { sessionCookie } from '../sign-in/cookies.ts';

type Deps = Pick<KeyDeps, 'keys' | 'hashOf'> &
  Pick<SessionAccessDeps, 'sessions' | 'pepper'> & { trust: Trust };

/**
 * The share that a request uses before it has been authenticated: that of its key or session if this process knows it, and of the
 * client's network otherwise. It decides nothing but whose turn it is.
 */
export function createShareOfRequest({ keys, hashOf, sessions, pepper, trust }: Deps) {
  const ofKey = (authorization: string): string | undefined => {
    const hash = hashOf(authorization.slice('bearer'.length).trim());
    const key = hash === undefined ? undefined : keys.peek(hash);
    if (!key) return undefined;
    return key.type === 'public' ? publicShareOf(key.workspaceId) : key.workspaceId;
  };
  const ofSession = (req: IncomingMessage): string | undefined => {
    const token = sessionCookie.read(req, true) ?? sessionCookie.read(req, false);
    return token === undefined ? undefined : sessions.peek(hashToken('session', token, pepper))?.personId;
  };
  return (req: IncomingMessage): string => {
    const { authorization } = req.headers;
    const share = isBearer(authorization) ? ofKey(authorization) : ofSession(req);
    return share ?? networkOf(addressOf(req, trust));
  };
}
