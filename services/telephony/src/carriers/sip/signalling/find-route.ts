import { portOf, type Trunk } from '../trunk.ts';
import type { Hop } from './connections.ts';
import type { ResolveTrunk, TrunkTarget } from './resolve-trunk.ts';

/** A server of a trunk, and how a request reaches it. */
export type TrunkServer = {
  hop: Hop;
  target: TrunkTarget;
  /** For the edge: the address that was checked, to which it sends the request without resolving the name. */
  headers: readonly string[];
};

/** How requests outside of dialogs reach a trunk. */
export type Route = {
  /** Best first; at least one. */
  servers: readonly TrunkServer[];
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
const MAX_SERVERS = 4;

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
    const serverAt = (target: TrunkTarget): TrunkServer =>
      hasEdge || transport === 'udp'
        ? { hop: { via: 'edge' }, target, headers: [targetHeader(target, transport)] }
        : { hop: { via: 'direct', transport, host, ...target }, target, headers: [] };
    return {
      servers: targets.slice(0, MAX_SERVERS).map(serverAt),
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
