import { type Access, type AnyEndpoint, agentScopeOf } from '@parley/contracts';
import { AppError } from '../errors/index.ts';
import { concernsOthers } from './agent-scope.ts';
import type { Actor, KeyScope } from './auth.ts';
import { isRead } from './client-reads.ts';

/** The kinds of principals that may use an endpoint [access.1]. */
const KINDS: Record<Exclude<Access, 'open'>, readonly Actor['kind'][]> = {
  private: ['key', 'member', 'service'],
  // Called from pages of any origin, hence without cookies.
  widget: ['public_key', 'key'],
  session: ['member'],
  internal: ['service', 'operator'],
};

/** `403 FORBIDDEN` if the endpoint is not for this kind of actor, for changes by a viewer, and for what a limited key may not do. */
export function requirePermission(endpoint: AnyEndpoint, actor: Actor): void {
  const { access } = endpoint;
  if (access === 'open') return;
  if (!KINDS[access].includes(actor.kind)) {
    throw new AppError('FORBIDDEN', messageFor(access, actor.kind));
  }
  if (actor.scope) requireInScope(endpoint, actor.scope);
  // A member without a role may only read.
  const mayChange = actor.kind !== 'member' || (actor.role !== undefined && actor.role !== 'viewer');
  if (mayChange || access !== 'private' || isRead(endpoint)) return;
  throw new AppError('FORBIDDEN', 'Viewers cannot make changes');
}

function requireInScope(endpoint: AnyEndpoint, { readOnly, agentIds }: KeyScope): void {
  if (readOnly && !isRead(endpoint)) throw new AppError('FORBIDDEN', 'This API key may only read');
  if (agentIds && agentScopeOf(endpoint) === 'refused') throw concernsOthers();
}

function messageFor(access: Access, kind: Actor['kind']): string {
  if (access === 'session') return 'API keys cannot use this endpoint: sign in to the dashboard';
  if (access === 'widget')
    return 'The widget endpoint needs an API key: sessions start web calls with POST /v2/call/web';
  return kind === 'public_key'
    ? 'Public keys are for the browser widget only; use a private key'
    : 'This endpoint is internal';
}
