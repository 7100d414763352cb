import { expect, it } from '@jest/globals';
import { ROLES, type Role } from '@parley/contracts';
import { requireAdmin, requireMayAssign } from './roles.ts';

const may = (actor: Role, ...roles: Role[]): boolean => {
  try {
    requireMayAssign(actor, roles);
    return true;
  } catch {
    return false;
  }
};

it.each([
  ['owner', ['owner', 'admin', 'developer', 'viewer']],
  ['admin', ['admin', 'developer', 'viewer']],
  ['developer', []],
  ['viewer', []],
] as const)('an %s grants and revokes %j [access.5]', (actor, roles) => {
  expect(ROLES.filter((role) => may(actor, role))).toEqual(roles);
});

it('names the role that is missing as the check of every endpoint does', () => {
  expect(() => requireAdmin('viewer')).toThrow('This requires the role admin or a higher one');
});
