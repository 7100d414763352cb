import type { Access, AnyEndpoint } from '@parley/contracts';
import { AppError } from '../errors/index.ts';
import type { Authenticate } from './app.ts';
import type { Actor } from './auth.ts';
import { INTERNAL_TOKEN_HEADER, type InternalTokens } from './internal-tokens.ts';

/** Who may use an endpoint (spec: Authentication; D6.2). */
const KINDS: Record<Exclude<Access, 'open'>, readonly Actor['kind'][]> = {
  private: ['key', 'member', 'service'],
  // Pages of every origin ask it: no cookie counts there.
  widget: ['public_key', 'key'],
  session: ['member'],
  internal: ['service'],
};

/** Believes the internal token alone: `401` without a good one, `403` for an actor that may not use the endpoint. */
export function authenticateInternally(tokens: InternalTokens): Authenticate {
  return (req, endpoint) => {
    const header = req.headers[INTERNAL_TOKEN_HEADER];
    const { workspaceId, actor } = tokens.verify(typeof header === 'string' ? header : undefined);
    requirePermission(endpoint, actor);
    return { workspaceId, actor };
  };
}

/** `403 FORBIDDEN` for an actor of a kind that may not use the endpoint, and for a viewer's change (D2.3). */
export function requirePermission(endpoint: AnyEndpoint, actor: Actor): void {
  const { access } = endpoint;
  if (access === 'open') return;
  if (!KINDS[access].includes(actor.kind)) {
    throw new AppError('FORBIDDEN', refusalOf(access, actor.kind));
  }
  // A member whose role nobody vouches for reads, at most.
  const mayChange = actor.kind !== 'member' || (actor.role !== undefined && actor.role !== 'viewer');
  if (mayChange || access !== 'private' || endpoint.method === 'GET' || endpoint.readsOnly) return;
  throw new AppError('FORBIDDEN', 'A viewer reads only');
}

function refusalOf(access: Access, kind: Actor['kind']): string {
  if (access === 'session') return 'A key is no person: sign in to the dashboard';
  if (access === 'widget')
    return 'The widget is asked by a key: a session starts web calls by POST /v2/call/web';
  return kind === 'public_key'
    ? 'A public key serves the browser widget alone; use a private key'
    : 'This may not be used from outside';
}
