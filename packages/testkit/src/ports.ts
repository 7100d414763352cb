import { randomInt } from 'node:crypto';
import { type AddressInfo, createServer, type Server } from 'node:net';

/** Below those that the kernel gives to connections that go out, which would take a port before its service does. */
const LOWEST = 10_000;
const ABOVE = 32_768;

/** A loopback port that nobody listens on right now; which one is left to chance, so that two that ask at once differ. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listenLocally(server, randomInt(LOWEST, ABOVE)).catch(() => undefined);
  if (port === undefined) return freePort();
  await closed(server);
  return port;
}

/** Listens on the loopback interface; resolves to the port. */
export function listenLocally(server: Server, port = 0): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Resolves when the server and its connections are closed. */
export function closed(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((err) => (err ? reject(err) : resolve()));
  });
}
