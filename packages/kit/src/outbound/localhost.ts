import { isAllowedByOperator } from './check-address.ts';
import type { Cidr } from './ip-address.ts';

const LOOPBACK = ['127.0.0.1', '::1'];

/** RFC 6761: always this machine, never resolved. */
export function isLocalhost(host: string): boolean {
  return /^(.+\.)?localhost\.?$/.test(host);
}

/**
 * The loopback addresses that the operator allows, or both if none is allowed. Unlike a resolved name, localhost may have an allowed and a
 * forbidden address.
 */
export function localhostAddresses(allowCidrs: readonly Cidr[]): string[] {
  const allowed = LOOPBACK.filter((address) => isAllowedByOperator(address, allowCidrs));
  return allowed.length > 0 ? allowed : LOOPBACK;
}
