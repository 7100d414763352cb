import type { IncomingMessage } from 'node:http';
import { publicShareOf } from '@parley/kit/http';
import { networkOf } from '@parley/kit/outbound';
import { isBearer, type KeyDeps, type SessionAccessDeps } from '../access/authenticate-caller.ts';
import { addressOf, type Trust } from '../access/client-address.ts';
import { hashToken } from '../sessions/tokens.ts';
import { sessionCookie } from '../sign-in/cookies.ts';
import type { Share } from './turns.ts';

type Deps = Pick<KeyDeps, 'keys' | 'hashOf'> &
  Pick<SessionAccessDeps, 'sessions' | 'pepper'> & { trust: Trust };

/**
 * The share that a request uses before it has been authenticated. If this process knows its key or session: that of the workspace's private keys,
 * its public keys or all its people, or of the person who has selected no workspace. Otherwise that of the client's network. It decides
 * nothing but whose turn it is.
 */
export function createShareOfRequest({ keys, hashOf, sessions, pepper, trust }: Deps) {
  const ofKey = (authorization: string): Share | undefined => {
    const hash = hashOf(authorization.slice('bearer'.length).trim());
    const key = hash === undefined ? undefined : keys.peek(hash);
    if (!key) return undefined;
    return ofWorkspace(key.type === 'public' ? publicShareOf(key.workspaceId) : key.workspaceId);
  };
  const ofSession = (req: IncomingMessage): Share | undefined => {
    const token = sessionCookie.read(req, true) ?? sessionCookie.read(req, false);
    const session = token === undefined ? undefined : sessions.peek(hashToken('session', token, pepper));
    if (!session) return undefined;
    // Not one for each person: a workspace may have a thousand, and its owner can sign in as those who have not joined yet.
    return session.member ? ofWorkspace(`${session.member.workspaceId} people`) : ofOther(session.personId);
  };
  return (req: IncomingMessage): Share => {
    const { authorization } = req.headers;
    const share = isBearer(authorization) ? ofKey(authorization) : ofSession(req);
    return share ?? ofOther(networkOf(addressOf(req, trust)));
  };
}

const ofWorkspace = (name: string): Share => ({ name, ofWorkspace: true });
const ofOther = (name: string): Share => ({ name, ofWorkspace: false });
