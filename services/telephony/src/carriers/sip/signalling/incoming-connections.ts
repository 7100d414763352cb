import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { Log } from '@parley/kit/log';
import { type ConnectionEvents, plainAddress, type SipConnection, streamConnection } from './connection.ts';
import { isTooMany, type OwnersOf, type Peer, peerOf } from './connection-limit.ts';
import { createTrustedAddresses } from './trusted-addresses.ts';

export type Listener = { transport: 'tcp' | 'tls'; host: string; port: number; cert?: string; key?: string };

export type IncomingConnections = {
  listen(listener: Listener): Promise<{ port: number }>;
  /**
   * A connection of an unknown source turned out to be a trunk's, and no longer counts against the limit of those. `workspaceId` is that of
   * a call which has proven it. If that workspace has its share of connections, this one is closed soon as one of an unknown source.
   */
  trust(connection: SipConnection, workspaceId?: string): void;
  /** Whether it is of an unknown source. */
  isUnknown(connection: SipConnection): boolean;
  has(connection: SipConnection): boolean;
  /** Closes the listeners and all connections. */
  close(): void;
};

export type IncomingOptions = {
  ownersOf?: OwnersOf | undefined;
  events: ConnectionEvents;
  /** A connection from this address was one too many. */
  onRefused?: (address: string, isKnown: boolean) => void;
  /** Whether calls use the connection, which then is never closed as idle. */
  isHeld(connection: SipConnection): boolean;
  log: Log;
  /** When an incoming connection without calls, on which nothing is said, is closed. */
  incomingIdleMs?: number;
};

const MAX_INCOMING = 2_000;
const UNKNOWN_TIMEOUT_MS = 10_000;
/** Far more than the 120 seconds in which a far end that wants to keep its connection sends something (RFC 5626, 4.4.1). */
const IDLE_MS = 600_000;

/** Connections that trunks and unknown sources open to this process. */
export function createIncomingConnections({
  ownersOf: trunksAt = () => new Set(),
  events,
  onRefused = () => {},
  isHeld,
  log,
  incomingIdleMs: idleMs = IDLE_MS,
}: IncomingOptions): IncomingConnections {
  const open = new Map<SipConnection, Peer>();
  const unknown = new Map<SipConnection, NodeJS.Timeout>();
  const addresses = createTrustedAddresses(trunksAt);
  const { ownersOf, isKnown } = addresses;
  const servers: Server[] = [];

  const refused = (address: string): void => onRefused(address, isKnown(address));

  /** TLS connections that have not completed their handshake, by their far ends: they are not in `open` yet. */
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
        clearTimeout(unknown.get(closed));
        unknown.delete(closed);
        open.delete(closed);
        events.onClosed(closed, error);
      },
    });
    const peer = peerOf(connection.remoteAddress);
    if (open.size >= MAX_INCOMING || isTooMany(peer, [...open.values()], ownersOf)) {
      refused(peer.address);
      socket.destroy();
      return;
    }
    open.set(connection, peer);
    socket.setTimeout(idleMs);
    socket.on('timeout', () => {
      // Calls may say nothing for hours, and the next message may never come.
      if (isHeld(connection)) socket.setTimeout(idleMs);
      else socket.destroy();
    });
    const close = (): void => connection.close();
    unknown.set(connection, setTimeout(close, UNKNOWN_TIMEOUT_MS).unref());
  };

  return {
    has: (connection) => open.has(connection),
    close() {
      for (const server of servers) server.close();
      for (const connection of open.keys()) connection.close();
    },
    isUnknown: (connection) => unknown.has(connection) && !isKnown(connection.remoteAddress),
    trust(connection, workspaceId) {
      const { remoteAddress } = connection;
      if (!open.has(connection)) return;
      if (workspaceId !== undefined && !addresses.trust(remoteAddress, workspaceId, open.values()))
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

function farEnd({ remoteAddress, remotePort }: Socket): string {
  return `${plainAddress(remoteAddress)} ${remotePort}`;
}
