import type { Cidr } from './cidr.ts';
import { isAllowedByOperator } from './judge-address.ts';

const LOOPBACK = ['127.0.0.1', '::1'];

/** RFC 6761: always this machine, so nobody is asked for its address. */
export function isLocalhost(host: string): boolean {
  return /^(.+\.)?localhost\.?$/.test(host);
}

/**
 * The loopback addresses that the operator allows, or both where none is. Both are known to be this machine, so an
 * operator who allows one of them has not been given a mixed answer.
 */
export function localhostAddresses(allowCidrs: readonly Cidr[]): string[] {
  const allowed = LOOPBACK.filter((address) => isAllowedByOperator(address, allowCidrs));
  return allowed.length > 0 ? allowed : LOOPBACK;
}
