import type { OutboundAllowance } from './allowance.ts';
import { createInternalPorts } from './internal-ports.ts';
import { parseCidr } from './ip-address.ts';
import { parseTarget } from './parse-target.ts';
import { type Resolution, resolveTarget } from './resolve-target.ts';
import { createResolver, type Resolver } from './resolver.ts';

/**
 * Resolves a host that a client has chosen, for protocols other than HTTP, and checks each of its addresses [webhooks.20]. The caller
 * connects to one of the returned addresses, never to the name. Rejects if the name servers fail.
 */
export type HostGuard = (host: string, port: number) => Promise<Resolution>;

export function createHostGuard({
  allowCidrs,
  allowHosts = [],
  internalUrls = [],
  resolver = createResolver(),
}: OutboundAllowance & { internalUrls?: readonly string[]; resolver?: Resolver }): HostGuard {
  const rules = {
    allowCidrs: allowCidrs.map(parseCidr),
    allowHosts,
    internalPorts: createInternalPorts(internalUrls, resolver),
    allowHttp: true,
  };
  return async (host, port) => {
    // The WHATWG rules normalize every spelling of an address.
    const target = parseTarget(`http://${host}:${port}`);
    if (typeof target !== 'string') return resolveTarget(target, resolver, rules);
    return { refused: `${host} is not a host`, reason: target, insecure: false };
  };
}
