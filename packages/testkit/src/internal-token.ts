import { randomUUID } from 'node:crypto';
import { createInternalTokens, type InternalClaims } from '@parley/kit/http';

/** What the gateway puts into `x-parley-internal`: a key of the workspace asks, unless the claims say otherwise. */
export function internalToken(
  secret: string,
  claims: Partial<InternalClaims> & Pick<InternalClaims, 'workspaceId'>,
): string {
  return createInternalTokens(secret).mint({
    actor: { kind: 'key', id: randomUUID() },
    requestId: randomUUID(),
    ...claims,
  });
}
