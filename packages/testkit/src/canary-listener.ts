import { createServer, type Socket } from 'node:net';
import { closed, listenLocally } from './ports.ts';

export type CanaryListener = {
  port: number;
  url: string;
  /** The number of connections; 0 if the guard works. */
  hits(): number;
  close(): Promise<void>;
};

/** A listener on loopback that must not be reached, for tests of the address guard [webhooks.20]. */
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
