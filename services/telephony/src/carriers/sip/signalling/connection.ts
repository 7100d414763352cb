import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext, type TLSSocket } from 'node:tls';
import { WebSocket } from 'ws';
import type { SipTransport } from '../trunk.ts';
import type { Edge } from './find-edges.ts';
import { createFraming, MAX_MESSAGE_BYTES } from './framing.ts';

/** One connection to a far end: a trunk, the edge, or a peer of our listener. */
export type SipConnection = {
  readonly transport: Exclude<SipTransport, 'udp'>;
  readonly localAddress: string;
  readonly localPort: number;
  readonly remoteAddress: string;
  readonly remotePort: number;
  /** The URL of the edge that it leads to. */
  readonly edge?: string;
  readonly isOpen: boolean;
  /** Throws if the connection is closed, or the far end does not read. */
  send(message: string): void;
  close(): void;
};

export type ConnectionEvents = {
  onMessage: (connection: SipConnection, message: string) => void;
  onClosed: (connection: SipConnection, error: Error | undefined) => void;
};

/** Where to connect. `host` is the name that a certificate must have. */
export type Endpoint = { transport: 'tcp' | 'tls'; address: string; port: number; host: string };

const CONNECT_TIMEOUT_MS = 4_000;
const KEEP_ALIVE_MS = 30_000;
/** A far end that leaves this much unread is lost. */
const MAX_UNSENT_BYTES = 1_048_576;
const PONG = '\r\n';
/** An edge that has not answered by the next ping is lost: a machine that dies closes no connection. */
const PING_EVERY_MS = 5_000;

/** Rejects if the connection is not established in time. */
export async function openConnection(
  endpoint: Endpoint,
  events: ConnectionEvents,
  trusted: SecureContext | undefined,
): Promise<SipConnection> {
  const { transport, address, port, host } = endpoint;
  const socket =
    transport === 'tls'
      ? connectTls({
          host: address,
          port,
          ...(isIP(host) === 0 ? { servername: host } : {}),
          ...(trusted ? { secureContext: trusted } : {}),
        })
      : connectTcp({ host: address, port });
  await established(socket, transport === 'tls' ? 'secureConnect' : 'connect');
  return streamConnection(socket, transport, events);
}

function established(socket: Socket | TLSSocket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      clearTimeout(timer);
      socket.destroy();
      reject(error);
    };
    const timer = setTimeout(
      () => fail(new Error('The connection was not established in time')),
      CONNECT_TIMEOUT_MS,
    );
    socket.once('error', fail);
    socket.once(event, () => {
      clearTimeout(timer);
      socket.removeListener('error', fail);
      resolve();
    });
  });
}

/** A connection over an established TCP or TLS socket. */
export function streamConnection(
  socket: Socket,
  transport: 'tcp' | 'tls',
  { onMessage, onClosed }: ConnectionEvents,
): SipConnection {
  const framing = createFraming();
  let isOpen = true;
  let failure: Error | undefined;
  socket.setNoDelay(true);
  socket.setKeepAlive(true, KEEP_ALIVE_MS);
  const connection: SipConnection = {
    transport,
    localAddress: plainAddress(socket.localAddress),
    localPort: socket.localPort ?? 0,
    remoteAddress: plainAddress(socket.remoteAddress),
    remotePort: socket.remotePort ?? 0,
    get isOpen() {
      return isOpen;
    },
    send(message) {
      if (!isOpen) throw new Error('The connection is closed');
      if (socket.writableLength > MAX_UNSENT_BYTES) {
        socket.destroy(new Error('The far end does not read'));
        throw new Error('The far end does not read');
      }
      socket.write(message);
    },
    close: () => socket.destroySoon(),
  };
  socket.on('error', (error) => {
    failure = error;
  });
  socket.on('close', () => {
    isOpen = false;
    onClosed(connection, failure);
  });
  socket.on('data', (bytes) => {
    try {
      const { messages, isPing } = framing.push(bytes);
      if (isPing) socket.write(PONG);
      for (const message of messages) onMessage(connection, message);
    } catch (error) {
      socket.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  });
  return connection;
}

/** The connection to the edge: each WebSocket message is one SIP message (RFC 7118). */
export async function openEdgeConnection(
  { url, name }: Edge,
  { onMessage, onClosed }: ConnectionEvents,
): Promise<SipConnection> {
  const socket = new WebSocket(url, 'sip', {
    handshakeTimeout: CONNECT_TIMEOUT_MS,
    ...(isIP(name) ? {} : { servername: name }),
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  const stream = (socket as unknown as { _socket: Socket })._socket;
  let failure: Error | undefined;
  const connection: SipConnection = {
    transport: 'ws',
    localAddress: plainAddress(stream.localAddress),
    localPort: stream.localPort ?? 0,
    remoteAddress: plainAddress(stream.remoteAddress),
    remotePort: stream.remotePort ?? 0,
    edge: url,
    get isOpen() {
      return socket.readyState === WebSocket.OPEN;
    },
    send(message) {
      if (socket.readyState !== WebSocket.OPEN) throw new Error('The connection to the edge is closed');
      if (socket.bufferedAmount > MAX_UNSENT_BYTES) throw new Error('The edge does not read');
      socket.send(message);
    },
    close: () => socket.close(),
  };
  socket.on('error', (error) => {
    failure = error;
  });
  socket.on('close', () => {
    clearInterval(pings);
    onClosed(connection, failure);
  });
  let isAnswered = true;
  socket.on('pong', () => {
    isAnswered = true;
  });
  const pings = setInterval(() => {
    if (!isAnswered) return socket.terminate();
    isAnswered = false;
    socket.ping();
  }, PING_EVERY_MS);
  pings.unref();
  socket.on('message', (data: Buffer) => {
    const text = data.toString('utf8');
    // Line ends keep the connection open (RFC 7118, 6).
    if (text.trim() !== '') onMessage(connection, text);
    else if (socket.readyState === WebSocket.OPEN) socket.send(PONG);
  });
  return connection;
}

export function plainAddress(address: string | undefined): string {
  return (address ?? '').replace(/^::ffff:/, '');
}
