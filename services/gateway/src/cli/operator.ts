import { type Actor, NO_WORKSPACE } from '@parley/kit/http';

/** Who made and revoked what the operator did. */
export const OPERATOR_NAME = 'operator';

/** As whom the operator asks the services. */
export const OPERATOR = { workspaceId: NO_WORKSPACE, actor: { kind: 'service', id: 'operator' } as Actor };
