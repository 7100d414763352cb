import type { Server } from 'node:http';
import type { DropArgument, Socket } from 'node:net';
import type { NoteClosed } from './note-closed.ts';

export type ConnectionLimits = {
  /** Maximum of all clients together; further connections are closed at once. */
  max: number;
  perNetwork: number;
  /** The addresses that one client may have, such as a /64 of IPv6. */
  networkOf: (address: string) => string;
  /** Addresses that many clients share, such as a proxy's: `perNetwork` doesn't apply to them. */
  isShared: (address: string) => boolean;
};

/** Closes connections over the limits before a byte of them is read. */
export function limitConnections(
  server: Server,
  { max, perNetwork, networkOf, isShared }: ConnectionLimits,
  noteClosed: NoteClosed,
): void {
  server.maxConnections = max;
  server.on('drop', (dropped?: DropArgument) => noteClosed('total', dropped?.remoteAddress));
  const open = new Map<string, number>();
  const counted = new WeakSet<Socket>();
  server.prependListener('connection', (socket) => {
    // Emitted a second time for a request with an `Upgrade` header.
    if (counted.has(socket)) return;
    counted.add(socket);
    const address = socket.remoteAddress ?? '';
    if (isShared(address)) return;
    const network = networkOf(address);
    const others = open.get(network) ?? 0;
    if (others >= perNetwork) {
      noteClosed('network', address);
      socket.destroy();
      return;
    }
    open.set(network, others + 1);
    socket.once('close', () => {
      const left = (open.get(network) ?? 1) - 1;
      if (left > 0) open.set(network, left);
      else open.delete(network);
    });
  });
}
