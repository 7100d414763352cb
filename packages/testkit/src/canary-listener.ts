import { createServer, type Socket } from 'node:net';
import { closed, listenLocally } from './ports.ts';

export type CanaryListener = {
  port: number;
  url: string;
  /** Connections so far; a guard that works keeps it at 0. */
  hits(): number;
  close(): Promise<void>;
};

/** A listener on loopback that nobody may ever reach, for tests of the address guard (D8.5). */
export async function canaryListener(): Promise<CanaryListener> {
  let hits = 0;
  const server = createServer((socket: Socket) => {
    hits += 1;
    socket.on('error', () => {});
    socket.destroy();
  });
  const port = await listenLocally(server);
  return { port, url: `http://127.0.0.1:${port}/`, hits: () => hits, close: () => closed(server) };
}
