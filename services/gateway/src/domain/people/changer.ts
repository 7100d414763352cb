/** Who changes keys and members: somebody of the workspace, by the id of their membership, or the operator, who may do all. */
export type Changer = { kind: 'member'; memberId: string; email: string } | { kind: 'operator' };

/** As it stands beside what was changed. */
export const nameOf = (by: Changer): string => (by.kind === 'operator' ? 'operator' : by.email);
