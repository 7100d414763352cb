import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type Cidr = { network: Address; bits: number };

/** Strict: the spellings that `inet_aton` takes (`010.1`, `2130706433`) and zone ids are not addresses here. */
export function parseAddress(text: string): Address | undefined {
  const family = isIP(text);
  if (family === 0 || text.includes('%')) return undefined;
  // ipaddr.js takes the IPv4-compatible `::1.2.3.4` for the mapped `::ffff:1.2.3.4`: give it groups alone.
  const isMixed = family === 6 && text.includes('.');
  return ipaddr.parse(isMixed ? new URL(`http://[${text}]`).hostname.slice(1, -1) : text);
}

/** `10.0.0.0/8`, `fd00::/8`, or a single address. Throws a RangeError that names what can't be read. */
export function parseCidr(text: string): Cidr {
  const [address = '', prefix, ...more] = text.trim().split('/');
  const network = parseAddress(address);
  const widest = network?.kind() === 'ipv4' ? 32 : 128;
  const bits = prefix === undefined ? widest : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
  if (!network || more.length > 0 || !(bits <= widest)) throw new RangeError(`"${text}" is not a CIDR`);
  return { network, bits };
}

export function isInside(address: Address, { network, bits }: Cidr): boolean {
  // `match` throws where the families differ, and the type of its union can't be called.
  if (address instanceof ipaddr.IPv4) return network instanceof ipaddr.IPv4 && address.match(network, bits);
  return network instanceof ipaddr.IPv6 && address.match(network, bits);
}
