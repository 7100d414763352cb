import { connect, createServer, type Socket } from 'node:net';
import type { Lifecycle } from '@parley/kit/lifecycle';

/** What stands before the replicas of a service, as a Service of Kubernetes does. */
export type Balancer = { add(port: number): void; remove(port: number): void };

/**
 * Sends each new connection to the next replica, and knows nothing of requests: a connection that is kept stays with its
 * replica, also when that is taken out.
 */
export async function createBalancer(port: number, lifecycle: Lifecycle): Promise<Balancer> {
  const replicas: number[] = [];
  const sockets = new Set<Socket>();
  let turn = 0;

  const hold = (socket: Socket): void => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.once('close', () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    turn += 1;
    const replica = replicas[turn % replicas.length];
    hold(client);
    if (replica === undefined) return client.resetAndDestroy();
    const backend = connect(replica, '127.0.0.1');
    hold(backend);
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
