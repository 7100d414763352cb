import { networkOf } from '@parley/kit/outbound';
import type { Limiter, Verdict } from './bucket.ts';
import { digestOf } from './networks.ts';
import { rateLimited } from './request-limits.ts';

export type OpenLimits = { perAddressAndMinute: number; perLinkAndMinute: number; burst: number };

/** A caller without a key: the client address, and the link or token of the route, if it has one. */
export type AnonymousCaller = { address: string; link: string | undefined };

export type Counted = { kind: string; of: string };

const MINUTE_MS = 60_000;

/**
 * Limits of routes without a key: per address, and per link. Throws `RATE_LIMITED`. Two calls, because the two
 * buckets may be in two slots of a Redis cluster.
 */
export async function limitOpen(
  limiter: Limiter,
  { address, link }: AnonymousCaller,
  { perAddressAndMinute, perLinkAndMinute, burst }: OpenLimits,
): Promise<void> {
  await limitBy(limiter, { kind: 'address', of: networkOf(address) }, perAddressAndMinute, burst);
  if (link !== undefined) await limitBy(limiter, { kind: 'link', of: link }, perLinkAndMinute, burst);
}

export type SignInLimits = { perAddressAndMinute: number };

/**
 * Attempts to sign in or to use an invitation: per address, or per browser that `account` has signed in from
 * before, so that its neighbors cannot lock it out [access.10]. Throws `RATE_LIMITED`. Wrong passwords are counted
 * separately (`limit-guesses.ts`).
 */
export async function limitSignIn(
  limiter: Limiter,
  { address, account }: { address: string; account: string | undefined },
  { perAddressAndMinute }: SignInLimits,
): Promise<void> {
  const from = account
    ? { kind: 'sign-in-device', of: account }
    : { kind: 'sign-in-address', of: networkOf(address) };
  await limitBy(limiter, from, perAddressAndMinute);
}

const HOUR_MS = 3_600_000;

/** A browser that reconnects sends one every three seconds at most. */
const OFFERS_PER_CALL_AND_MINUTE = 20;
/** Of the requests of an address. */
const SHARE_OF_OFFERS = 0.1;

/**
 * Offers of a web call [web-calls.6], whose token is the link, and of an address, in addition to `limitOpen`: each offer may cost a worker a
 * DTLS handshake. Throws `RATE_LIMITED`.
 */
export async function limitOffers(
  limiter: Limiter,
  { address, link }: AnonymousCaller,
  { perAddressAndMinute }: OpenLimits,
): Promise<void> {
  const perAddress = Math.max(OFFERS_PER_CALL_AND_MINUTE, perAddressAndMinute * SHARE_OF_OFFERS);
  await limitBy(limiter, { kind: 'offers-address', of: networkOf(address) }, perAddress);
  if (link !== undefined)
    await limitBy(limiter, { kind: 'offers-call', of: link }, OFFERS_PER_CALL_AND_MINUTE);
}

/** For rare actions: a burst of `perHour`. */
export async function limitByHour(limiter: Limiter, of: Counted, perHour: number): Promise<void> {
  requireAllowed(await takeByHour(limiter, of, perHour));
}

/** As `limitByHour`, for actions that are omitted instead of refused. */
export function takeByHour(limiter: Limiter, of: Counted, perHour: number): Promise<Verdict> {
  return takeFrom(limiter, of, { intervalMs: HOUR_MS / perHour, burst: perHour });
}

export async function limitBy(
  limiter: Limiter,
  of: Counted,
  perMinute: number,
  burst = perMinute,
): Promise<void> {
  const rate = { intervalMs: MINUTE_MS / perMinute, burst: Math.min(burst, perMinute) };
  requireAllowed(await takeFrom(limiter, of, rate));
}

/** Names are digests, so that neither addresses nor tokens are stored. */
function takeFrom(
  limiter: Limiter,
  { kind, of }: Counted,
  rate: { intervalMs: number; burst: number },
): Promise<Verdict> {
  return limiter.take([{ key: `${digestOf(`${kind} ${of}`)}:${kind}`, ...rate }]);
}

function requireAllowed(verdict: Verdict): void {
  if (!verdict.allowed) throw rateLimited(verdict);
}
