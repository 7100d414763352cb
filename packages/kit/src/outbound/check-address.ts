import { type Address, type Cidr, isInside, parseAddress, parseCidr } from './ip-address.ts';
import { GLOBAL_IPV6, NAMED_IPV6, SPECIAL_IPV4, SPECIAL_IPV6 } from './special-ranges.ts';

type NamedRange = { cidr: Cidr; what: string };
const compile = (ranges: readonly (readonly [string, string])[]): NamedRange[] =>
  ranges.map(([cidr, what]) => ({ cidr: parseCidr(cidr), what }));

const specialIpv4 = compile(SPECIAL_IPV4);
const specialIpv6 = compile(SPECIAL_IPV6);
const namedIpv6 = compile(NAMED_IPV6);
const globalIpv6 = parseCidr(GLOBAL_IPV6);

const nameOf = (address: Address, ranges: NamedRange[]): string | undefined =>
  ranges.find(({ cidr }) => isInside(address, cidr))?.what;

const whatIs = (address: Address): string | undefined => {
  if (address.kind() === 'ipv4') return nameOf(address, specialIpv4);
  if (!isInside(address, globalIpv6)) return nameOf(address, namedIpv6) ?? 'not global unicast';
  return nameOf(address, specialIpv6);
};

/**
 * Why an address must not be connected to (`loopback`, `private`, …), or undefined if it is public unicast or inside a CIDR that the
 * operator allows [webhooks.20]. IPv6 addresses that embed an IPv4 address (mapped, NAT64, 6to4) are rejected, even with a public one.
 */
export function checkAddress(text: string, allowCidrs: readonly Cidr[] = []): string | undefined {
  const address = parseAddress(text);
  if (!address) return 'not an address';
  if (allowCidrs.some((cidr) => isInside(address, cidr))) return undefined;
  return whatIs(address);
}

/** Whether a CIDR of the operator contains the address, which also allows plain http. */
export function isAllowedByOperator(text: string, allowCidrs: readonly Cidr[]): boolean {
  const address = parseAddress(text);
  return address !== undefined && allowCidrs.some((cidr) => isInside(address, cidr));
}
