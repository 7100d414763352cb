import type { Socket } from 'node:net';
import { Client } from 'undici';

/** An open connection to a pinned address, for one request at a time. */
export type Connection = {
  client: Client;
  origin: string;
  /** The address of the peer. */
  address: string;
  /** Whether it was used before: its peer may be closing it. */
  reused: boolean;
  isOpen(): boolean;
  onClose(fn: () => void): void;
  /** Bytes received since the connection was opened. */
  bytesRead(): number;
  /** Calls `fn` whenever bytes have arrived, until the returned function is called. */
  onBytes(fn: () => void): () => void;
  destroy(): void;
};

const MAX_HEADER_BYTES = 32 * 1024;
// Most servers keep idle connections for 5 s or more; below that, a request rarely meets one that closes.
const IDLE_MS = 2000;

export type WrapOptions = {
  origin: string;
  address: string;
  /** Whether it is reused; otherwise it sends `connection: close`. */
  keep: boolean;
};

/** HTTP/1.1 over a socket of `connectPinned`. */
export function wrapSocket(socket: Socket, { origin, address, keep }: WrapOptions): Connection {
  let handedOver = false;
  const client = new Client(origin, {
    // Hands over the open socket. undici calls again after it has closed, and must not open a connection of its own.
    connect: (_options, callback) => {
      const error = handedOver ? new Error('the connection is closed') : null;
      handedOver = true;
      queueMicrotask(() => (error ? callback(error, null) : callback(null, socket)));
    },
    pipelining: keep ? 1 : 0,
    maxHeaderSize: MAX_HEADER_BYTES,
    // These two are idle timeouts; the deadline of the request replaces them.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
  });
  return {
    client,
    origin,
    address,
    reused: false,
    isOpen: () => !socket.destroyed && socket.writable && !client.destroyed,
    onClose: (fn) => void socket.once('close', fn),
    bytesRead: () => socket.bytesRead,
    onBytes: (fn) => {
      socket.on('readable', fn);
      return () => void socket.off('readable', fn);
    },
    destroy: () => {
      socket.destroy();
      void client.destroy();
    },
  };
}
