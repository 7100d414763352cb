import type { Authenticate } from './app.ts';
import { INTERNAL_TOKEN_HEADER, type InternalTokens } from './internal-tokens.ts';
import { requirePermission } from './require-permission.ts';

/** Authenticates by the internal token: `401` if it is not valid, `403` if the actor may not use the endpoint. */
export function authenticateInternally(tokens: InternalTokens): Authenticate {
  return (req, endpoint) => {
    const header = req.headers[INTERNAL_TOKEN_HEADER];
    const auth = tokens.verify(typeof header === 'string' ? header : undefined);
    requirePermission(endpoint, auth.actor);
    return auth;
  };
}
