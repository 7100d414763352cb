import type { Role } from './session.ts';

/** Most powerful first, as in the contract. */
export const ROLES: readonly Role[] = ['owner', 'admin', 'developer', 'viewer'];

export function isAtLeast(role: Role, minimum: Role): boolean {
  return ROLES.indexOf(role) <= ROLES.indexOf(minimum);
}
