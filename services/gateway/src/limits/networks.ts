import { createHash } from 'node:crypto';
import { isIPv4 } from 'node:net';
import { networkOf } from '@parley/kit/outbound';

/** The network whose wrong passwords are counted together: a /24 of IPv4, a /64 of IPv6. */
export function guessNetworkOf(address: string): string {
  const network = networkOf(address);
  return isIPv4(network) ? `${network.split('.').slice(0, 3).join('.')}.0/24` : network;
}

/** A name for a value that must not be stored itself: an address, a token. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
