import type { AnyEndpoint } from '@parley/contracts';
import { AppError } from '@parley/kit/errors';
import { authenticateKey, isBearer, type KeyDeps, noBearer } from './authenticate-key.ts';
import { authenticateSession, type SessionAccessDeps, type SessionRequest } from './authenticate-session.ts';
import type { Caller } from './caller.ts';

export type Asking = {
  /** Where from. */
  address: string;
  authorization: string | undefined;
  /** Looked at only where no key was sent; undefined: no session either. */
  session: () => SessionRequest | undefined;
};

/**
 * Who is asking (spec: Authentication; D2.3): by a key, or by a session where no key was sent. Throws `UNAUTHORIZED`, and
 * `FORBIDDEN` for a session's change that another site's page may have sent, and `RATE_LIMITED` for an address that too often
 * shows what opens nothing. `endpoint` decides the words of a 401 alone.
 */
export async function authenticate(
  deps: KeyDeps & SessionAccessDeps,
  { address, authorization, session }: Asking,
  endpoint: AnyEndpoint | undefined,
): Promise<Caller> {
  const asking = isBearer(authorization) ? authorization : session();
  if (!asking) throw noBearer(endpoint);
  try {
    return typeof asking === 'string'
      ? await authenticateKey(deps, asking, address)
      : await authenticateSession(deps, asking, endpoint, address);
  } catch (err) {
    if (err instanceof AppError && err.code === 'UNAUTHORIZED') await deps.failures.count(address);
    throw err;
  }
}
