import type { Socket } from 'node:net';
import { Client } from 'undici';

/** An open connection to a pinned address, which carries one request at a time. */
export type Connection = {
  client: Client;
  origin: string;
  /** The pinned address, which the peer has. */
  address: string;
  /** It has carried a request before, so its peer may have given it up without our knowing yet. */
  reused: boolean;
  isOpen(): boolean;
  onClose(fn: () => void): void;
  destroy(): void;
};

const MAX_HEADER_BYTES = 32 * 1024;
// Most servers keep an idle connection for 5 s or more; well below, a request rarely meets one that is being closed.
const IDLE_MS = 2000;

export type WrapOptions = {
  origin: string;
  address: string;
  /** More requests may follow on it; otherwise it says `connection: close`. */
  keep: boolean;
};

/** Speaks HTTP/1.1 over a socket that `connectPinned` has opened. */
export function wrapSocket(socket: Socket, { origin, address, keep }: WrapOptions): Connection {
  let handedOver = false;
  const client = new Client(origin, {
    // The socket is there already. undici asks again when it is gone, and nothing may connect on its own.
    connect: (_options, callback) => {
      const answer = handedOver ? new Error('the connection is gone') : null;
      handedOver = true;
      queueMicrotask(() => (answer ? callback(answer, null) : callback(null, socket)));
    },
    pipelining: keep ? 1 : 0,
    maxHeaderSize: MAX_HEADER_BYTES,
    // The deadline of the whole request stands above these two, which measure idleness.
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
    destroy: () => {
      socket.destroy();
      void client.destroy();
    },
  };
}
