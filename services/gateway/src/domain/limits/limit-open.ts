import { createHash } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import type { Limiter } from './bucket.ts';
import { rateLimited } from './request-limits.ts';

export type OpenLimits = { perAddressAndMinute: number; perLinkAndMinute: number; burst: number };

/** Who asks without a key: where from, and by what link or token, where there is one. */
export type Stranger = { address: string; link: string | undefined };

const MINUTE_MS = 60_000;

/**
 * Routes that need no key have limits of their own: everybody at one address together, and everybody with one link.
 * Throws `RATE_LIMITED`. Two calls, since the two buckets are in two places of a cluster.
 */
export async function limitOpen(
  limiter: Limiter,
  { address, link }: Stranger,
  { perAddressAndMinute, perLinkAndMinute, burst }: OpenLimits,
): Promise<void> {
  const take = async (kind: string, of: string, perMinute: number): Promise<void> => {
    // Digests, so that neither addresses nor tokens are kept anywhere.
    const name = createHash('sha256').update(`${kind} ${of}`).digest('hex').slice(0, 32);
    const bucket = {
      key: `${name}:${kind}`,
      intervalMs: MINUTE_MS / perMinute,
      burst: Math.min(burst, perMinute),
    };
    const verdict = await limiter.take([bucket]);
    if (!verdict.allowed) throw rateLimited(verdict);
  };
  await take('address', networkOf(address), perAddressAndMinute);
  if (link !== undefined) await take('link', link, perLinkAndMinute);
}

/** An IPv4 address, or the network of an IPv6 one: whoever has one of those has 2^64. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  return `${parsed.parts.slice(0, 4).join(':')}::/64`;
}
