import type { ChangedBy } from '@parley/kit/http';

/** The author of a change: a member by the id of their membership, or the operator, who may change everything. */
export type Changer =
  | { kind: 'member'; memberId: string; email: string; address?: string; requestId?: string }
  | { kind: 'operator'; user?: string };

/** The author of a change to a person's own account: the person, or the operator. */
export type AccountChange =
  | { kind: 'person'; address?: string; requestId?: string }
  | Extract<Changer, { kind: 'operator' }>;

/** The author as shown with the change, for instance in `created_by`. */
export const nameOf = (by: Changer): string => (by.kind === 'operator' ? 'operator' : by.email);

/** The author in the audit log of the workspace [trust.17]. */
export function changedBy(by: Changer, workspaceId: string): ChangedBy {
  if (by.kind === 'operator') return { workspaceId, actor: { kind: 'operator', id: by.user ?? 'operator' } };
  const { memberId, email, address, requestId } = by;
  return {
    workspaceId,
    actor: { kind: 'member', id: memberId, email },
    ...(address ? { address } : {}),
    ...(requestId ? { requestId } : {}),
  };
}
