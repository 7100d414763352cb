import { type Address, type Cidr, isInside, parseAddress, parseCidr } from './cidr.ts';
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
 * Why an address may not be connected to (`loopback`, `private`, …), or undefined when it is public unicast or inside
 * one of the CIDRs that the operator allows. An IPv6 address that carries an IPv4 one is judged as what it is, not as
 * what it carries: mapped, NAT64 and 6to4 are refused even around a public address. spec: D8.5.
 */
export function judgeAddress(text: string, allowCidrs: readonly Cidr[] = []): string | undefined {
  const address = parseAddress(text);
  if (!address) return 'not an address';
  if (allowCidrs.some((cidr) => isInside(address, cidr))) return undefined;
  return whatIs(address);
}

/** Whether the operator has allowed the address by a CIDR, which is also what allows plain http to it. */
export function isAllowedByOperator(text: string, allowCidrs: readonly Cidr[]): boolean {
  const address = parseAddress(text);
  return address !== undefined && allowCidrs.some((cidr) => isInside(address, cidr));
}
