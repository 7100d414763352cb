import { connect, createServer, type Socket } from 'node:net';
import { closed, listenLocally } from './ports.ts';

export type FaultProxy = {
  /** The given URL through the proxy. */
  url: string;
  port: number;
  /** Breaks every connection and refuses new ones, until `restore`. */
  cut(): void;
  /** Holds back every byte, in both directions, with the connections open, until `restore`. */
  freeze(): void;
  restore(): void;
  /** Connections that are open now. */
  connections(): number;
  close(): Promise<void>;
};

type State = 'open' | 'cut' | 'frozen';

/**
 * A TCP proxy in front of a dependency, so that a test can interrupt it for its own service only. While it is cut the port stays bound and
 * connections are reset at once.
 */
export async function faultProxy(target: string): Promise<FaultProxy> {
  const url = new URL(target);
  const upstream = { host: url.hostname, port: Number(url.port) };
  const sockets = new Set<Socket>();
  let state: State = 'open';

  const server = createServer((client) => {
    client.on('error', () => {});
    if (state === 'cut') {
      client.resetAndDestroy();
      return;
    }
    join(client, connect({ ...upstream, noDelay: true }));
  });

  const join = (client: Socket, service: Socket): void => {
    client.setNoDelay(true);
    for (const [from, to] of [
      [client, service],
      [service, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => {});
      from.on('data', (bytes) => to.write(bytes));
      from.on('end', () => to.end());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      if (state === 'frozen') from.pause();
    }
  };

  const cut = (): void => {
    state = 'cut';
    for (const socket of sockets) socket.resetAndDestroy();
  };
  const port = await listenLocally(server);
  url.host = `127.0.0.1:${port}`;
  return {
    url: url.href,
    port,
    cut,
    freeze: () => {
      state = 'frozen';
      for (const socket of sockets) socket.pause();
    },
    restore: () => {
      state = 'open';
      for (const socket of sockets) socket.resume();
    },
    connections: () => sockets.size / 2,
    close: async () => {
      cut();
      await closed(server);
    },
  };
}
