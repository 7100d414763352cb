import { createServer, type Server, type Socket } from 'node:net';
import { createSecureContext, createServer as createTlsServer, rootCertificates } from 'node:tls';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';
import {
  type ConnectionEvents,
  type Endpoint,
  openConnection,
  openEdgeConnection,
  plainAddress,
  type SipConnection,
  streamConnection,
} from './connection.ts';
import { isTooMany, type OwnersOf, type Peer, peerOf } from './connection-limit.ts';
import type { Edge, FindEdges } from './find-edges.ts';
import { createTrustedAddresses } from './trusted-addresses.ts';

/**
 * The next hop of a leg, which another worker can connect to as well. Any edge leads to any trunk; `edge` is the URL of the preferred one,
 * by default any that responds.
 */
export type Hop = { via: 'edge'; edge?: string | undefined } | ({ via: 'direct' } & Endpoint);

export type Listener = { transport: 'tcp' | 'tls'; host: string; port: number; cert?: string; key?: string };

export type Connections = {
  /** An open connection to the hop: the existing one, or a new one. */
  to(hop: Hop): Promise<SipConnection>;
  /** The same, to this edge only. */
  toEdge(edge: Edge): Promise<SipConnection>;
  listen(listener: Listener): Promise<{ port: number }>;
  /** Keeps a connection from being closed as idle, until the returned function is called. */
  hold(connection: SipConnection): () => void;
  /**
   * A connection of an unknown source turned out to be a trunk's, and no longer counts against the limit of those. `workspaceId` is that of
   * a call which has proven it. If that workspace has its share of connections, this one is closed soon as one of an unknown source.
   */
  trust(connection: SipConnection, workspaceId?: string): void;
  /** Whether it is of an unknown source. */
  isUnknown(connection: SipConnection): boolean;
  /** Whether this process has opened the connection: its far end is a trunk or an edge. */
  isOwn(connection: SipConnection): boolean;
};

type Deps = {
  findEdges: FindEdges;
  /** Further authorities that may have signed the certificates of trunks. */
  ca?: readonly string[] | undefined;
  ownersOf?: OwnersOf | undefined;
  events: ConnectionEvents;
  /** A connection from this address was one too many. */
  onRefused?: (address: string, isKnown: boolean) => void;
  log: Log;
  lifecycle: Lifecycle;
  /** When an incoming connection without calls, on which nothing is said, is closed. */
  incomingIdleMs?: number;
};

const MAX_INCOMING = 2_000;
const UNKNOWN_TIMEOUT_MS = 10_000;
const IDLE_TIMEOUT_MS = 60_000;
/** Far more than the 120 seconds in which a far end that wants to keep its connection sends something (RFC 5626, 4.4.1). */
const INCOMING_IDLE_MS = 600_000;

/** Connections to trunks are shared by their calls, and closed when they have been idle. */
export function createConnections(deps: Deps): Connections {
  const { findEdges, ca, ownersOf: trunksAt = () => new Set(), events, log, lifecycle } = deps;
  const { incomingIdleMs = INCOMING_IDLE_MS, onRefused = () => {} } = deps;
  const opening = new Map<string, Promise<SipConnection>>();
  const established = new Map<string, SipConnection>();
  const holders = new Map<SipConnection, number>();
  const idle = new Map<SipConnection, NodeJS.Timeout>();
  const unknown = new Map<SipConnection, NodeJS.Timeout>();
  const incoming = new Map<SipConnection, Peer>();
  const addresses = createTrustedAddresses(trunksAt);
  const { ownersOf, isKnown } = addresses;
  const servers: Server[] = [];
  // Authorities given to Node replace the public ones.
  const trusted = ca ? createSecureContext({ ca: [...rootCertificates, ...ca] }) : undefined;
  let turn = 0;

  const forget = (connection: SipConnection, key?: string): void => {
    clearTimeout(idle.get(connection));
    clearTimeout(unknown.get(connection));
    idle.delete(connection);
    unknown.delete(connection);
    incoming.delete(connection);
    if (key !== undefined && established.get(key) === connection) established.delete(key);
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

  const refused = (address: string): void => onRefused(address, isKnown(address));

  /** TLS connections that have not completed their handshake, by their far ends: they are not in `incoming` yet. */
  const handshakes = new Map<string, Peer>();
  const limitHandshakes = (server: Server): void => {
    server.on('connection', (socket: Socket) => {
      const peer = peerOf(plainAddress(socket.remoteAddress));
      if (isTooMany(peer, [...handshakes.values()], ownersOf)) {
        refused(peer.address);
        return void socket.destroy();
      }
      const key = farEnd(socket);
      handshakes.set(key, peer);
      socket.once('close', () => handshakes.delete(key));
    });
    server.on('secureConnection', (socket: Socket) => handshakes.delete(farEnd(socket)));
  };

  const accept = (socket: Socket, transport: 'tcp' | 'tls'): void => {
    socket.on('error', () => socket.destroy());
    const connection = streamConnection(socket, transport, {
      onMessage: events.onMessage,
      onClosed: (closed, error) => {
        forget(closed);
        events.onClosed(closed, error);
      },
    });
    const peer = peerOf(connection.remoteAddress);
    if (incoming.size >= MAX_INCOMING || isTooMany(peer, [...incoming.values()], ownersOf)) {
      refused(peer.address);
      socket.destroy();
      return;
    }
    incoming.set(connection, peer);
    socket.setTimeout(incomingIdleMs);
    socket.on('timeout', () => {
      // Calls may say nothing for hours, and the next message may never come.
      if (holders.has(connection)) socket.setTimeout(incomingIdleMs);
      else socket.destroy();
    });
    const close = (): void => connection.close();
    unknown.set(connection, setTimeout(close, UNKNOWN_TIMEOUT_MS).unref());
  };

  lifecycle.onStop('SIP connections', () => {
    for (const server of servers) server.close();
    for (const connection of [...established.values(), ...incoming.keys()]) connection.close();
  });

  return {
    to: (hop) =>
      hop.via === 'edge'
        ? toAnyEdge(hop.edge)
        : shared(keyOf(hop), (own) => openConnection(hop, own, trusted)),
    toEdge,
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
    isUnknown: (connection) => unknown.has(connection) && !isKnown(connection.remoteAddress),
    trust(connection, workspaceId) {
      const { remoteAddress } = connection;
      if (!incoming.has(connection)) return;
      if (workspaceId !== undefined && !addresses.trust(remoteAddress, workspaceId, incoming.values()))
        refused(remoteAddress);
      if (!isKnown(remoteAddress)) return;
      clearTimeout(unknown.get(connection));
      unknown.delete(connection);
    },
    listen: ({ transport, host, port, cert, key }) =>
      new Promise((resolve, reject) => {
        const onSocket = (socket: Socket): void => accept(socket, transport);
        const server =
          transport === 'tls'
            ? createTlsServer({ cert, key, handshakeTimeout: UNKNOWN_TIMEOUT_MS }, onSocket)
            : createServer(onSocket);
        server.maxConnections = MAX_INCOMING;
        server.on('drop', (dropped) => refused(plainAddress(dropped?.remoteAddress)));
        if (transport === 'tls') limitHandshakes(server);
        // A failed handshake of an unknown source.
        server.on('tlsClientError', () => {});
        server.once('error', reject);
        server.listen(port, host, () => {
          server.removeListener('error', reject);
          server.on('error', (err) => log.error({ err }, 'a SIP listener failed'));
          servers.push(server);
          const address = server.address();
          resolve({ port: typeof address === 'object' && address ? address.port : port });
        });
      }),
  };
}

function keyOf({ transport, address, port, host }: Endpoint): string {
  return `${transport}:${address}:${port}:${host}`;
}

function farEnd({ remoteAddress, remotePort }: Socket): string {
  return `${plainAddress(remoteAddress)} ${remotePort}`;
}
