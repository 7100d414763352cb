import { isAtLeast, type Role } from '@parley/contracts';
import { AppError, conflict } from '@parley/kit/errors';
import type { Member } from './ports.ts';

/** Keys and members are theirs to change (D2.3). */
export function requireAdmin(actor: Role | undefined): asserts actor is Role {
  if (!actor || !isAtLeast(actor, 'admin'))
    throw new AppError('FORBIDDEN', 'This takes an admin or an owner');
}

/**
 * Who may change members (D2.3): admins and owners, of whoever has no more than their own role, to no more than their own
 * role. So nobody raises themselves, and an admin neither makes owners nor touches one.
 */
export function requireMayAssign(actor: Role | undefined, roles: readonly Role[]): void {
  requireAdmin(actor);
  if (roles.every((role) => isAtLeast(actor, role))) return;
  throw new AppError('FORBIDDEN', 'Nobody gives or takes a role above their own');
}

/** A workspace keeps an owner who can sign in. */
export function requireOwnerLeft(members: readonly Member[], leaving: Member): void {
  const owners = members.filter(({ role, personId }) => role === 'owner' && personId !== null);
  if (owners.length === 1 && owners[0]?.id === leaving.id)
    throw conflict('A workspace keeps an owner, and this is the last one');
}
