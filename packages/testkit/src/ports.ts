import { randomInt } from 'node:crypto';
import { type AddressInfo, createServer, type Server } from 'node:net';

/** Below the kernel's ephemeral ports, which outgoing connections could bind before the service does. */
const MIN_PORT = 10_000;
const MAX_PORT = 32_767;
/** fetch refuses this one of the range, since other protocols use it. */
const REFUSED_BY_FETCH = 10_080;

/** A free port on loopback; random, so that concurrent callers get different ones. */
export async function freePort(): Promise<number> {
  const wanted = randomInt(MIN_PORT, MAX_PORT + 1);
  if (wanted === REFUSED_BY_FETCH) return freePort();
  const server = createServer();
  const port = await listenLocally(server, wanted).catch(() => undefined);
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
