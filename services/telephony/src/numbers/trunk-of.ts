import { createHash } from 'node:crypto';
import { parseUrl } from '@parley/contracts';
import { z } from 'zod';
import type { Provider } from './phone-number.ts';

/** Hosts that never belong to a carrier (RFC 2606, RFC 6761): their numbers are simulated in development [numbers.12]. */
const RESERVED = /(?:^|\.)(?:example\.(?:com|net|org)|example|test|invalid|localhost)$/;

const sipSecrets = z.object({ termination_uri: z.string(), username: z.string().nullable() });
const telcoSecrets = z.object({ account_sid: z.string() });

/** The context that a number's secrets are sealed with: sealed text that was copied elsewhere can't be decrypted. */
export const secretsPlace = (numberId: string): string => `phone_numbers:secrets:${numberId}`;

/**
 * Identifies the trunk or account that carries a number's calls [numbers.4]: for SIP the termination host and user name, for
 * imported numbers the account. The simulated carrier counts as one trunk per workspace. Hashed, because hosts and accounts are
 * otherwise stored sealed.
 */
export function trunkOf(provider: Provider, workspaceId: string, secrets: unknown): string {
  if (provider === 'telco') return hashed('telco', telcoSecrets.parse(secrets).account_sid.toLowerCase());
  const { termination_uri, username } = sipSecrets.parse(secrets);
  const host = terminationHost(termination_uri);
  return isReserved(host) ? `simulator:${workspaceId}` : hashed('sip', JSON.stringify([host, username]));
}

export const isReserved = (host: string): boolean => RESERVED.test(host);

/** The host without its port in canonical form: lower case, no trailing dot, one notation of an address. */
export function terminationHost(terminationUri: string): string {
  const url = parseUrl(`http://${terminationUri}`);
  const host = url ? url.hostname : terminationUri.replace(/:\d+$/, '').toLowerCase();
  return host.replace(/\.$/, '');
}

function hashed(kind: string, identity: string): string {
  return `${kind}:${createHash('sha256').update(identity).digest('hex')}`;
}
