import { type AnyEndpoint, isAtLeast } from '@parley/contracts';
import { AppError, conflict } from '@parley/kit/errors';
import { NO_WORKSPACE, requirePermission } from '@parley/kit/http';
import type { Caller } from './caller.ts';

/** `403 FORBIDDEN` for who may not use an endpoint (D2.3), `409 CONFLICT` for who must pick a workspace first. */
export function requireAllowed(endpoint: AnyEndpoint, { actor, workspaceId }: Caller): void {
  const isPersonal = endpoint.access === 'session' && endpoint.role === undefined;
  if (actor.kind === 'member' && workspaceId === NO_WORKSPACE && !isPersonal)
    throw conflict('Pick a workspace first: PUT /dashboard/api/session');
  requirePermission(endpoint, actor);
  if (endpoint.role && !(actor.role && isAtLeast(actor.role, endpoint.role)))
    throw new AppError('FORBIDDEN', `This takes the role ${endpoint.role} or a higher one`);
}
