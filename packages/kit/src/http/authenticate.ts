import type { Access } from '@parley/contracts';
import { AppError } from '../errors/index.ts';
import type { Authenticate } from './app.ts';
import type { Actor } from './auth.ts';
import { INTERNAL_TOKEN_HEADER, type InternalTokens } from './internal-tokens.ts';

/** Who may use an endpoint (spec: Authentication; D6.2). */
const KINDS: Record<Exclude<Access, 'open'>, readonly Actor['kind'][]> = {
  private: ['key', 'member', 'service'],
  widget: ['public_key', 'key'],
  internal: ['service'],
};

/** Believes the internal token alone: `401` without a good one, `403` for an actor that may not use the endpoint. */
export function authenticateInternally(tokens: InternalTokens): Authenticate {
  return (req, { access }) => {
    const header = req.headers[INTERNAL_TOKEN_HEADER];
    const { workspaceId, actor } = tokens.verify(typeof header === 'string' ? header : undefined);
    requireKind(access, actor);
    return { workspaceId, actor };
  };
}

/** `403 FORBIDDEN` for an actor of a kind that may not use endpoints of this access. */
export function requireKind(access: Access, actor: Actor): void {
  if (access === 'open' || KINDS[access].includes(actor.kind)) return;
  throw new AppError(
    'FORBIDDEN',
    actor.kind === 'public_key'
      ? 'A public key may not use the REST API'
      : 'This may not be used from outside',
  );
}
