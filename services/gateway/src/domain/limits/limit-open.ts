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
  await limitBy(limiter, { kind: 'address', of: networkOf(address) }, perAddressAndMinute, burst);
  if (link !== undefined) await limitBy(limiter, { kind: 'link', of: link }, perLinkAndMinute, burst);
}

export type SignInLimits = { perAddressAndMinute: number; perAccountAndMinute: number };

/** Guesses at passwords and invitations: from one address, and at one account. Throws `RATE_LIMITED`. */
export async function limitSignIn(
  limiter: Limiter,
  { address, account }: { address: string; account: string | undefined },
  limits: SignInLimits,
): Promise<void> {
  const from = { kind: 'sign-in-address', of: networkOf(address) };
  await limitBy(limiter, from, limits.perAddressAndMinute);
  if (account !== undefined) await limitAccount(limiter, account, limits);
}

/** Guesses at one account's password (by its e-mail address), wherever they come from and by whatever way. */
export async function limitAccount(
  limiter: Limiter,
  account: string,
  { perAccountAndMinute }: Pick<SignInLimits, 'perAccountAndMinute'>,
): Promise<void> {
  await limitBy(limiter, { kind: 'sign-in-account', of: account }, perAccountAndMinute);
}

/** Names are digests, so that neither addresses nor tokens are kept anywhere. */
export async function limitBy(
  limiter: Limiter,
  { kind, of }: { kind: string; of: string },
  perMinute: number,
  burst = perMinute,
): Promise<void> {
  const name = createHash('sha256').update(`${kind} ${of}`).digest('hex').slice(0, 32);
  const bucket = {
    key: `${name}:${kind}`,
    intervalMs: MINUTE_MS / perMinute,
    burst: Math.min(burst, perMinute),
  };
  const verdict = await limiter.take([bucket]);
  if (!verdict.allowed) throw rateLimited(verdict);
}

/** An IPv4 address, or the network of an IPv6 one: whoever has one of those has 2^64. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  return `${parsed.parts.slice(0, 4).join(':')}::/64`;
}
