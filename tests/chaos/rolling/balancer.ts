import { connect, createServer, type Socket } from 'node:net';
import type { Lifecycle } from '@parley/kit/lifecycle';

/** Balances connections over the replicas of a service, as a Kubernetes Service does. */
export type Balancer = { add(port: number): void; remove(port: number): void };

/**
 * Round robin by connection, not by request: a kept-alive connection stays with its replica even after that is removed.
 */
export async function createBalancer(port: number, lifecycle: Lifecycle): Promise<Balancer> {
  const replicas: number[] = [];
  const sockets = new Set<Socket>();
  let next = 0;

  const track = (socket: Socket): void => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.once('close', () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    next += 1;
    const replica = replicas[next % replicas.length];
    track(client);
    if (replica === undefined) return client.resetAndDestroy();
    const backend = connect(replica, '127.0.0.1');
    track(backend);
    const end = (): void => {
      client.destroy();
      backend.destroy();
    };
    client.once('error', end);
    backend.once('error', () => client.resetAndDestroy());
    client.pipe(backend).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  lifecycle.onStop(`balancer ${port}`, () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    add: (replica) => void replicas.push(replica),
    remove: (replica) => {
      const at = replicas.indexOf(replica);
      if (at >= 0) replicas.splice(at, 1);
    },
  };
}
