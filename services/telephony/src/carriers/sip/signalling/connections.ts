import { createSecureContext, rootCertificates } from 'node:tls';
import type { Lifecycle } from '@parley/kit/lifecycle';
import {
  type ConnectionEvents,
  type Endpoint,
  openConnection,
  openEdgeConnection,
  type SipConnection,
} from './connection.ts';
import type { Edge, FindEdges } from './find-edges.ts';
import {
  createIncomingConnections,
  type IncomingConnections,
  type IncomingOptions,
} from './incoming-connections.ts';

/**
 * The next hop of a leg, which another worker can connect to as well. Any edge leads to any trunk; `edge` is the URL of the preferred one,
 * by default any that responds.
 */
export type Hop = { via: 'edge'; edge?: string | undefined } | ({ via: 'direct' } & Endpoint);

export type Connections = Pick<IncomingConnections, 'listen' | 'trust' | 'isUnknown'> & {
  /** An open connection to the hop: the existing one, or a new one. */
  to(hop: Hop): Promise<SipConnection>;
  /** The same, to this edge only. */
  toEdge(edge: Edge): Promise<SipConnection>;
  /** Keeps a connection from being closed as idle, until the returned function is called. */
  hold(connection: SipConnection): () => void;
  /** Whether this process has opened the connection: its far end is a trunk or an edge. */
  isOwn(connection: SipConnection): boolean;
};

type Deps = Omit<IncomingOptions, 'isHeld'> & {
  findEdges: FindEdges;
  /** Further authorities that may have signed the certificates of trunks. */
  ca?: readonly string[] | undefined;
  lifecycle: Lifecycle;
};

const IDLE_TIMEOUT_MS = 60_000;

/** Connections to trunks are shared by their calls, and closed when they have been idle. */
export function createConnections(deps: Deps): Connections {
  const { findEdges, ca, events, lifecycle } = deps;
  const opening = new Map<string, Promise<SipConnection>>();
  const established = new Map<string, SipConnection>();
  const holders = new Map<SipConnection, number>();
  const idle = new Map<SipConnection, NodeJS.Timeout>();
  const incoming = createIncomingConnections({ ...deps, isHeld: (connection) => holders.has(connection) });
  // Authorities given to Node replace the public ones.
  const trusted = ca ? createSecureContext({ ca: [...rootCertificates, ...ca] }) : undefined;
  let turn = 0;

  const forget = (connection: SipConnection, key: string): void => {
    clearTimeout(idle.get(connection));
    idle.delete(connection);
    if (established.get(key) === connection) established.delete(key);
  };

  const closeWhenIdle = (connection: SipConnection): void => {
    clearTimeout(idle.get(connection));
    if (connection.transport === 'ws' || incoming.has(connection)) return;
    const close = (): void => {
      if (!holders.has(connection)) connection.close();
    };
    idle.set(connection, setTimeout(close, IDLE_TIMEOUT_MS).unref());
  };

  /** The open connection with this key, or a new one. */
  const shared = async (
    key: string,
    connect: (events: ConnectionEvents) => Promise<SipConnection>,
  ): Promise<SipConnection> => {
    const known = established.get(key);
    if (known?.isOpen) return known;
    const pending =
      opening.get(key) ??
      connect({
        onMessage: events.onMessage,
        onClosed: (connection, error) => {
          forget(connection, key);
          events.onClosed(connection, error);
        },
      });
    opening.set(key, pending);
    try {
      const connection = await pending;
      if (!connection.isOpen) throw new Error('The connection was closed at once');
      established.set(key, connection);
      if (!holders.has(connection)) closeWhenIdle(connection);
      return connection;
    } finally {
      if (opening.get(key) === pending) opening.delete(key);
    }
  };

  const toEdge = (edge: Edge): Promise<SipConnection> =>
    shared(edge.url, (own) => openEdgeConnection(edge, own));

  /** Tries the wanted edge, then the connected ones in turn, then all others. */
  const toAnyEdge = async (wanted: string | undefined): Promise<SipConnection> => {
    const edges = await findEdges();
    turn += 1;
    const rankOf = ({ url }: Edge): number =>
      established.get(url)?.isOpen ? (url === wanted ? 0 : 1) : url === wanted ? 2 : 3;
    const byTurns = edges
      .map((_, n) => edges[(n + turn) % edges.length])
      .filter((edge) => edge !== undefined);
    let failure: unknown = new Error('There is no SIP edge, or its name cannot be resolved (SIP_EDGE_URL)');
    for (const edge of byTurns.sort((one, other) => rankOf(one) - rankOf(other))) {
      try {
        return await toEdge(edge);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  };

  lifecycle.onStop('SIP connections', () => {
    incoming.close();
    for (const connection of established.values()) connection.close();
  });

  return {
    to: (hop) =>
      hop.via === 'edge'
        ? toAnyEdge(hop.edge)
        : shared(keyOf(hop), (own) => openConnection(hop, own, trusted)),
    toEdge,
    listen: incoming.listen,
    trust: incoming.trust,
    isUnknown: incoming.isUnknown,
    hold(connection) {
      clearTimeout(idle.get(connection));
      holders.set(connection, (holders.get(connection) ?? 0) + 1);
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        const left = (holders.get(connection) ?? 1) - 1;
        if (left > 0) holders.set(connection, left);
        else {
          holders.delete(connection);
          closeWhenIdle(connection);
        }
      };
    },
    isOwn: (connection) => connection.isOpen && !incoming.has(connection),
  };
}

function keyOf({ transport, address, port, host }: Endpoint): string {
  return `${transport}:${address}:${port}:${host}`;
}
