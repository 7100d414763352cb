import { isAllowedHost, type OutboundAllowance } from './allowance.ts';
import { checkAddress, isAllowedByOperator } from './check-address.ts';
import { checkHostName } from './host-name.ts';
import { parseCidr } from './ip-address.ts';
import { isLocalhost, localhostAddresses } from './localhost.ts';
import { parseTarget } from './parse-target.ts';

/**
 * The problem of a SIP `host[:port]`, as a predicate to the field's name ("must be …"), or undefined [webhooks.20]. It checks the text
 * only; the addresses of a name are checked at each call.
 */
export function checkSipHost(
  hostPort: string,
  { allowCidrs, allowHosts }: OutboundAllowance,
): string | undefined {
  // The WHATWG rules normalize every spelling of an address (`127.1`, `2130706433`).
  const target = parseTarget(`http://${hostPort}`);
  if (typeof target === 'string') return 'must be a host with an optional port';
  const { host, isLiteral } = target;
  if (isAllowedHost(host, allowHosts)) return undefined;
  const allowed = allowCidrs.map(parseCidr);
  const isLocal =
    isLocalhost(host) && !localhostAddresses(allowed).every((one) => isAllowedByOperator(one, allowed));
  const isPrivate = isLiteral && checkAddress(host, allowed) !== undefined;
  if (isLocal || isPrivate) return 'must lead to a public address';
  return isLiteral ? undefined : checkHostName(host);
}

/** The same for the destination of a transfer: the host of a `sip:` URI. Phone numbers have none. */
export function checkSipDestination(destination: string, allowance: OutboundAllowance): string | undefined {
  const uri = /^sips?:(?:.*@)?([^;?@]+)/i.exec(destination);
  return uri?.[1] === undefined ? undefined : checkSipHost(uri[1], allowance);
}
