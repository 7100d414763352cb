import { connect, createServer, type Socket } from 'node:net';
import { freePort } from '@parley/testkit';

/**
 * One connection to sipp for all processes, which may die: over TCP sipp responds on the connection on which a call began, even where a request came
 * by another one. What comes back goes to the process that connected last.
 */
export async function openRelay(target: number): Promise<{ port: number; close(): void }> {
  const upstream = connect(target, '127.0.0.1');
  let last: Socket | undefined;
  upstream.on('data', (bytes) => last?.write(bytes));
  upstream.on('error', () => {});
  const server = createServer((socket) => {
    last = socket;
    socket.on('data', (bytes) => upstream.write(bytes));
    socket.on('error', () => {});
  });
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    port,
    close: () => {
      upstream.destroy();
      server.close();
    },
  };
}
