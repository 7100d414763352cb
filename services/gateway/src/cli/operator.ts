import { type Actor, NO_WORKSPACE } from '@parley/kit/http';
import type { Changer } from '../domain/people/changer.ts';

/** Who made and revoked what the operator did. */
export const BY: Changer = { kind: 'operator' };

/** As whom the operator asks the services. */
export const OPERATOR = { workspaceId: NO_WORKSPACE, actor: { kind: 'service', id: 'operator' } as Actor };
