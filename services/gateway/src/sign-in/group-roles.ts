import { isAtLeast, type Role } from '@parley/contracts';

/** Members of a group have a role in a workspace. */
export type GroupGrant = { group: string; workspace: string; role: Role };

/** The highest role of the person's groups in each workspace of the mapping; undefined: none of the groups has one. */
export function rolesByGroup(
  groups: readonly string[],
  mapping: readonly GroupGrant[],
): Map<string, Role | undefined> {
  const roles = new Map<string, Role | undefined>();
  for (const { group, workspace, role } of mapping) {
    const known = roles.get(workspace);
    const isHigher = groups.includes(group) && (!known || isAtLeast(role, known));
    roles.set(workspace, isHigher ? role : known);
  }
  return roles;
}
