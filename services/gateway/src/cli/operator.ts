import { type Actor, NO_WORKSPACE } from '@parley/kit/http';

/** As whom the operator asks the services. */
export const OPERATOR = { workspaceId: NO_WORKSPACE, actor: { kind: 'service', id: 'operator' } as Actor };
