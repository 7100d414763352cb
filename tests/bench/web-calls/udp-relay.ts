import { createSocket, type Socket } from 'node:dgram';
import type { AddressInfo } from 'node:net';

export type UdpRelay = {
  readonly port: number;
  /** Where packets of new browsers go from now on. */
  relayTo(port: number): void;
  /** Drops everything of the present connections, as a network does that a visitor has left. New ones are relayed. */
  cut(): void;
  close(): void;
};

/** A network between browsers and a worker, on loopback. */
export async function createUdpRelay(host: string): Promise<UdpRelay> {
  const front = createSocket('udp4');
  await new Promise<void>((resolve) => front.bind(0, host, resolve));
  const connections = new Map<string, Socket | 'cut'>();
  let target = 0;
  front.on('message', (bytes, { address, port }) => {
    const from = `${address}:${port}`;
    let connection = connections.get(from);
    if (connection === 'cut') return;
    if (!connection) {
      connection = createSocket('udp4');
      connection.on('message', (answer) => {
        if (connections.get(from) !== 'cut') front.send(answer, port, address);
      });
      connection.on('error', () => {});
      connections.set(from, connection);
    }
    connection.send(bytes, target, host);
  });
  const cut = (): void => {
    for (const [from, connection] of connections) {
      if (connection !== 'cut') connection.close();
      connections.set(from, 'cut');
    }
  };
  return {
    port: (front.address() as AddressInfo).port,
    relayTo: (port) => {
      target = port;
    },
    cut,
    close: () => {
      cut();
      front.close();
    },
  };
}
