import { randomUUID } from 'node:crypto';
import { SERVICES, type ServiceName } from '@parley/contracts';
import type { InternalClaims } from '@parley/kit/http';
import { internalTokens } from './internal-keys.ts';

/**
 * An internal token for `audience`: from the gateway on behalf of an API key, unless the claims name another actor; for a service as the
 * actor, from that service.
 */
export function internalToken(
  secret: string,
  audience: ServiceName,
  { actor = { kind: 'key', id: randomUUID() }, ...claims }: Partial<InternalClaims> & { workspaceId: string },
): string {
  const own = actor.kind === 'service' ? SERVICES.find((name) => name === actor.id) : undefined;

  return internalTokens(secret, own ?? 'gateway').mint(audience, { ...claims, actor });
}
