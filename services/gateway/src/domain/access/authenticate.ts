import type { AnyEndpoint } from '@parley/contracts';
import { authenticateKey, isBearer, type KeyDeps, noBearer } from './authenticate-key.ts';
import { authenticateSession, type SessionAccessDeps, type SessionRequest } from './authenticate-session.ts';
import type { Caller } from './caller.ts';

export type Asking = {
  authorization: string | undefined;
  /** Looked at only where no key was sent; undefined: no session either. */
  session: () => SessionRequest | undefined;
};

/**
 * Who is asking (spec: Authentication; D2.3): by a key, or by a session where no key was sent. Throws `UNAUTHORIZED`, and
 * `FORBIDDEN` for a session's change that another site's page may have sent. `endpoint` decides the words of a 401 alone.
 */
export async function authenticate(
  deps: KeyDeps & SessionAccessDeps,
  { authorization, session }: Asking,
  endpoint: AnyEndpoint | undefined,
): Promise<Caller> {
  if (isBearer(authorization)) return authenticateKey(deps, authorization);
  const asking = session();
  if (!asking) throw noBearer(endpoint);
  return authenticateSession(deps, asking, endpoint);
}
