import { isAtLeast, type Role } from '@parley/contracts';
import { AppError, conflict } from '@parley/kit/errors';
import type { Member } from './members.store.ts';

/** May change keys and members [access.5]. */
export function requireAdmin(actor: Role | undefined): asserts actor is Role {
  if (!actor || !isAtLeast(actor, 'admin'))
    throw new AppError('FORBIDDEN', 'This requires the role admin or a higher one');
}

/** Only owners may change limits on a workspace's calls and costs [trust.22]. */
export function requireOwner(actor: Role | undefined): void {
  if (actor !== 'owner') throw new AppError('FORBIDDEN', 'This requires the role owner');
}

/**
 * Admins and owners may change members whose role is at most their own, to a role that is at most their own
 * [access.5]: no promotion above the own role, and admins neither create nor change owners.
 */
export function requireMayAssign(actor: Role | undefined, roles: readonly Role[]): void {
  requireAdmin(actor);
  if (roles.every((role) => isAtLeast(actor, role))) return;
  throw new AppError('FORBIDDEN', 'You cannot grant or revoke a role above your own');
}

/** A workspace always has an owner who can sign in. */
export function requireOwnerLeft(members: readonly Member[], leaving: Member): void {
  const owners = members.filter(({ role, personId }) => role === 'owner' && personId !== null);
  if (owners.length === 1 && owners[0]?.id === leaving.id)
    throw conflict('A workspace must have an owner, but this is the last one');
}
