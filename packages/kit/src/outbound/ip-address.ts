import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type Cidr = { network: Address; bits: number };

/** Parses strictly, without the spellings of `inet_aton` (`010.1`, `2130706433`) and without zone ids. */
export function parseAddress(text: string): Address | undefined {
  const family = isIP(text);
  if (family === 0 || text.includes('%')) return undefined;
  // ipaddr.js parses the IPv4-compatible `::1.2.3.4` as the mapped `::ffff:1.2.3.4`, so it gets groups only.
  const isMixed = family === 6 && text.includes('.');
  return ipaddr.parse(isMixed ? new URL(`http://[${text}]`).hostname.slice(1, -1) : text);
}

/** `10.0.0.0/8`, `fd00::/8`, or a single address. Throws a RangeError. */
export function parseCidr(text: string): Cidr {
  const [address = '', prefix, ...more] = text.trim().split('/');
  const network = parseAddress(address);
  const widest = network?.kind() === 'ipv4' ? 32 : 128;
  const bits = prefix === undefined ? widest : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
  if (!network || more.length > 0 || !(bits <= widest)) throw new RangeError(`"${text}" is not a CIDR`);
  return { network, bits };
}

export function isInside(address: Address, { network, bits }: Cidr): boolean {
  // `match` throws if the families differ.
  if (address instanceof ipaddr.IPv4) return network instanceof ipaddr.IPv4 && address.match(network, bits);
  return network instanceof ipaddr.IPv6 && address.match(network, bits);
}

/** The addresses that one host may have: its IPv4 address, or the /64 of its IPv6 one. Also unwraps `::ffff:…`. Anything else is returned as it is. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv4 ? parsed.toString() : `${parsed.parts.slice(0, 4).join(':')}::/64`;
}
