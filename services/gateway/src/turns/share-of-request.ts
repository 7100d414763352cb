import type { IncomingMessage } from 'node:http';
import { networkOf } from '@parley/kit/outbound';
import { isBearer, isValidKey, type KeyDeps, type SessionAccessDeps } from '../access/authenticate-caller.ts';
import { addressOf, type Trust } from '../access/client-address.ts';
import { isKeyHere, type RequestOrigin } from '../access/require-allowed.ts';
import { hasExpired } from '../sessions/session-life.ts';
import { hashToken } from '../sessions/tokens.ts';
import { sessionCookie } from '../sign-in/cookies.ts';
import type { Share } from './turns.ts';

type Deps = Pick<KeyDeps, 'keys' | 'hashOf' | 'clock'> &
  Pick<SessionAccessDeps, 'sessions' | 'sessionLife' | 'pepper'> & { trust: Trust };

/**
 * The share of a request that has not been authenticated yet. It decides when the request begins, or that it is refused because too many
 * of its share wait. If this process has seen a valid key or session, and the client may use it from where it is: the share of the
 * workspace's private keys, of its people, of the client's network among the visitors with its public keys, or of the person who has
 * selected no workspace. Otherwise that of the client's network.
 */
export function createShareOfRequest({ keys, hashOf, sessions, sessionLife, pepper, trust, clock }: Deps) {
  const ofKey = (authorization: string, from: RequestOrigin): Share | undefined => {
    const hash = hashOf(authorization.slice('bearer'.length).trim());
    const key = hash === undefined ? undefined : keys.peek(hash);
    // Revoked and stolen keys take no turns from the workspace.
    if (!key || !isValidKey(key, clock) || !isKeyHere(key, from)) return undefined;
    if (key.type === 'private') return ofWorkspace(key.workspaceId);
    return ofVisitor(key.workspaceId, networkOf(from.address));
  };
  const ofSession = (req: IncomingMessage): Share | undefined => {
    const token = sessionCookie.read(req, true) ?? sessionCookie.read(req, false);
    const session = token === undefined ? undefined : sessions.peek(hashToken('session', token, pepper));
    if (!session || hasExpired(session, sessionLife, clock)) return undefined;
    // Not one for each person: a workspace may have a thousand, and its owner can sign in as those who have not joined yet.
    return session.member ? ofWorkspace(`${session.member.workspaceId} people`) : ofOther(session.personId);
  };
  return (req: IncomingMessage): Share => {
    const { authorization, origin } = req.headers;
    const from = { address: addressOf(req, trust), origin };
    const share = isBearer(authorization) ? ofKey(authorization, from) : ofSession(req);
    return share ?? ofOther(networkOf(from.address));
  };
}

// A client may have many networks, and everyone may use the public keys of many workspaces: all these together get every second turn.
const ofWorkspace = (name: string): Share => ['workspaces', name];
const ofVisitor = (workspaceId: string, network: string): Share => ['public', 'keys', workspaceId, network];
const ofOther = (name: string): Share => ['public', 'others', name];
