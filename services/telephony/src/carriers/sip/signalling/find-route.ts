import type { HostGuard } from '@parley/kit/outbound';
import { portOf, type Trunk } from '../trunk.ts';
import type { Hop } from './connections.ts';

/** The ways to a trunk, best first, and what requests outside of dialogs say on the way. */
export type Route = {
  hops: readonly Hop[];
  /** `host[:port]` and parameters of a Request-URI at the trunk. */
  uriHost: string;
  /** For the edge alone: the address that was checked, to which it sends the request whatever the name means to it. */
  headersOf(hop: Hop): string[];
};

export type FindRoute = (trunk: Trunk) => Promise<Route>;

/** No way leads to the trunk: it is refused, or needs what is not configured. Nothing was sent. */
export class NoRouteError extends Error {
  /** Whether another attempt may succeed without a change by the operator or the customer. */
  readonly isTransient: boolean;
  constructor(message: string, isTransient: boolean) {
    super(message);
    this.isTransient = isTransient;
  }
}

/** The edge sends a request to this address and removes the header. */
const TARGET_HEADER = 'X-Parley-Target';
const MAX_ADDRESSES = 4;

/** By the edge if there is one; otherwise directly, which UDP is not spoken for. Addresses are checked at each call [numbers.12]. */
export function createFindRoute({ guard, hasEdge }: { guard: HostGuard; hasEdge: boolean }): FindRoute {
  return async (trunk) => {
    const { host, port, transport } = trunk;
    if (transport === 'udp' && !hasEdge)
      throw new NoRouteError('SIP over UDP needs the SIP edge (SIP_EDGE_URL)', false);
    const resolved = await guard(host, portOf(trunk)).catch((err: unknown) => {
      throw new NoRouteError(
        `${host} could not be resolved: ${err instanceof Error ? err.message : err}`,
        true,
      );
    });
    if ('refused' in resolved) throw new NoRouteError(resolved.refused, false);
    const addresses = resolved.addresses.slice(0, MAX_ADDRESSES);
    const uriHost = `${host}${port === null ? '' : `:${port}`};transport=${transport}`;
    if (!hasEdge && transport !== 'udp') {
      const hops = addresses.map(
        (address): Hop => ({ via: 'direct', transport, address, port: portOf(trunk), host }),
      );
      return { hops, uriHost, headersOf: () => [] };
    }
    const [address = ''] = addresses;
    const target = `${address.includes(':') ? `[${address}]` : address}:${portOf(trunk)}`;
    const header = `${TARGET_HEADER}: sip:${target};transport=${transport}`;
    return { hops: [{ via: 'edge' }], uriHost, headersOf: () => [header] };
  };
}
