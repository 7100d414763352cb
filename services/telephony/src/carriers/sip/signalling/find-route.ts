import { portOf, type Trunk } from '../trunk.ts';
import type { Hop } from './connections.ts';
import type { ResolveTrunk, TrunkTarget } from './resolve-trunk.ts';

/** A way to one server of a trunk. */
export type Way = {
  hop: Hop;
  server: TrunkTarget;
  /** For the edge: the address that was checked, to which it sends the request without resolving the name. */
  headers: readonly string[];
};

/** How requests outside of dialogs reach a trunk. */
export type Route = {
  /** Best first; at least one. */
  ways: readonly Way[];
  /** `host[:port]` and parameters of a Request-URI at the trunk. */
  uriHost: string;
  /** Of all servers. */
  addresses: readonly string[];
};

export type FindRoute = (trunk: Trunk) => Promise<Route>;

/** The trunk has no route: its address is refused, or it needs something that is not configured. Nothing was sent. */
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
const MAX_WAYS = 4;

/** By the edge if there is one; otherwise directly, by TCP and TLS only. Addresses are checked at each call [numbers.12]. */
export function createFindRoute({
  resolveTrunk,
  hasEdge,
}: {
  resolveTrunk: ResolveTrunk;
  hasEdge: boolean;
}): FindRoute {
  return async (trunk) => {
    const { host, port, transport } = trunk;
    if (transport === 'udp' && !hasEdge)
      throw new NoRouteError('SIP over UDP needs the SIP edge (SIP_EDGE_URL)', false);
    const resolved = await resolveTrunk(trunk).catch((err: unknown) => {
      throw new NoRouteError(
        `${host} could not be resolved: ${err instanceof Error ? err.message : err}`,
        true,
      );
    });
    if ('refused' in resolved) throw new NoRouteError(resolved.refused, false);
    const { targets } = resolved;
    const wayTo = (target: TrunkTarget): Way =>
      hasEdge || transport === 'udp'
        ? { hop: { via: 'edge' }, server: target, headers: [targetHeader(target, transport)] }
        : { hop: { via: 'direct', transport, host, ...target }, server: target, headers: [] };
    return {
      ways: targets.slice(0, MAX_WAYS).map(wayTo),
      uriHost: `${host}${port === null ? '' : `:${port}`};transport=${transport}`,
      addresses: [...new Set(targets.map(({ address }) => address))],
    };
  };
}

function targetHeader({ address, port }: TrunkTarget, transport: Trunk['transport']): string {
  const host = address.includes(':') ? `[${address}]` : address;
  return `${TARGET_HEADER}: sip:${host}:${port};transport=${transport}`;
}

/** Whether a URI leads to a server of the trunk, by its name or one of its addresses. */
export function isServerOf(
  trunk: Trunk,
  { addresses }: Pick<Route, 'addresses'>,
  { host, port }: { host: string; port: number | null },
): boolean {
  const isHost = host.toLowerCase() === trunk.host.toLowerCase();
  const isAddress = addresses.includes(host.replace(/^\[|\]$/g, ''));
  return (isHost || isAddress) && (port ?? portOf({ ...trunk, port: null })) === portOf(trunk);
}
