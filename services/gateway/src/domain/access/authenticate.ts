import type { AnyEndpoint } from '@parley/contracts';
import { authenticateKey, isBearer, type KeyDeps, noBearer } from './authenticate-key.ts';
import { authenticateSession, type SessionAccessDeps, type SessionRequest } from './authenticate-session.ts';
import type { Caller } from './caller.ts';

export type Asking = SessionRequest & { authorization: string | undefined };

/**
 * Who is asking (spec: Authentication; D2.3): by a key, or by a session where no key was sent. Throws `UNAUTHORIZED` and
 * `FORBIDDEN`. Without an endpoint (an unknown path) it only says who.
 */
export async function authenticate(
  deps: KeyDeps & SessionAccessDeps,
  asking: Asking,
  endpoint: AnyEndpoint | undefined,
): Promise<Caller> {
  if (isBearer(asking.authorization)) return authenticateKey(deps, asking.authorization, endpoint);
  if (asking.sessionToken === undefined) throw noBearer(endpoint);
  return authenticateSession(deps, asking, endpoint);
}
