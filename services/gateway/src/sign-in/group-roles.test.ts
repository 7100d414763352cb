import { expect, it } from '@jest/globals';
import { rolesByGroup } from './group-roles.ts';

it('groups grant the highest of their roles in each workspace; workspaces without any are listed too', () => {
  const mapping = [
    { group: 'staff', workspace: 'a', role: 'viewer' },
    { group: 'admins', workspace: 'a', role: 'admin' },
    { group: 'staff', workspace: 'b', role: 'developer' },
    { group: 'admins', workspace: 'c', role: 'owner' },
  ] as const;
  const of = (...groups: string[]) => Object.fromEntries(rolesByGroup(groups, mapping));
  expect(of('staff')).toEqual({ a: 'viewer', b: 'developer', c: undefined });
  expect(of('admins', 'staff')).toEqual({ a: 'admin', b: 'developer', c: 'owner' });
  expect(of('Staff')).toEqual({ a: undefined, b: undefined, c: undefined });
  expect(rolesByGroup(['staff'], []).size).toBe(0);
});
