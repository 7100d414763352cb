import { userInfo } from 'node:os';
import { type Actor, NO_WORKSPACE } from '@parley/kit/http';

const user = userName();

/** The author of the operator's changes. */
export const BY = { kind: 'operator', user } as const;

/** The operator as the caller of other services. */
export const OPERATOR = { workspaceId: NO_WORKSPACE, actor: { kind: 'operator', id: user } as Actor };

/** The user of the operating system; in a container there may be no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
