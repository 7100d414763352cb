import { createHash } from 'node:crypto';
import { z } from 'zod';
import { isReserved, terminationHost } from '../numbers/trunk-of.ts';

const sipSecrets = z.object({
  termination_uri: z.string(),
  transport: z.enum(['udp', 'tcp', 'tls']),
  username: z.string().nullish(),
});

const DEFAULT_PORTS = { udp: 5_060, tcp: 5_060, tls: 5_061 } as const;

/**
 * Identifies the destination and account of a SIP number's requests: host, port, transport and user name, of one workspace, hashed into a
 * UUID. Numbers with the same termination share its health. Other workspaces do not see how a trunk responds to these credentials.
 * Null for a host that is simulated in development [numbers.12].
 */
export function terminationOf(workspaceId: string, secrets: unknown): string | null {
  const { termination_uri: uri, transport, username = null } = sipSecrets.parse(secrets);
  const host = terminationHost(uri);
  if (isReserved(host)) return null;
  const port = Number(/:(\d{1,5})$/.exec(uri)?.[1] ?? DEFAULT_PORTS[transport]);
  const digest = createHash('sha256')
    .update(JSON.stringify([workspaceId, host, port, transport, username]))
    .digest('hex');
  return digest.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
}

/** The context that the addresses of a termination are sealed with. */
export const addressesPlace = (id: string): string => `terminations:addresses:${id}`;
