import { createHash } from 'node:crypto';
import ipaddr from 'ipaddr.js';

/** An IPv4 address, or the /64 of an IPv6 one: one client has a whole /64. */
export function networkOf(address: string): string {
  const parsed = parse(address);
  if (!parsed) return address;
  return parsed instanceof ipaddr.IPv4 ? parsed.toString() : network64Of(parsed);
}

/** The network whose wrong passwords are counted together: a /24 of IPv4, a /64 of IPv6. */
export function guessNetworkOf(address: string): string {
  const parsed = parse(address);
  if (!parsed) return address;
  if (!(parsed instanceof ipaddr.IPv4)) return network64Of(parsed);
  return `${parsed.octets.slice(0, 3).join('.')}.0/24`;
}

/** Also unwraps `::ffff:…`. */
function parse(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  return ipaddr.isValid(address) ? ipaddr.process(address) : undefined;
}

function network64Of({ parts }: ipaddr.IPv6): string {
  return `${parts.slice(0, 4).join(':')}::/64`;
}

/** A name for a value that must not be stored itself: an address, a token. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
