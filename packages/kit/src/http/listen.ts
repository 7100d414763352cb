import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Lifecycle } from '../lifecycle/index.ts';
import type { App } from './app.ts';

/** A head that comes slower than this is cut off. */
const HEADERS_TIMEOUT_MS = 10_000;
/** The longest upload; JSON bodies have their own, much shorter deadline. */
const REQUEST_TIMEOUT_MS = 30 * 60_000;
/** Longer than any client of ours keeps an idle connection: it is the client that closes, never under a request. */
const KEEP_ALIVE_MS = 75_000;
const MAX_HEADERS = 200;

/**
 * Serves an app. Stopping: `/readyz` says 503, nothing new is accepted, answers carry `Connection: close`,
 * what is in flight is finished, then the idle connections are closed.
 */
export async function listen(
  app: App,
  { host, port }: { host: string; port: number },
  lifecycle: Lifecycle,
): Promise<{ port: number }> {
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      noDelay: true,
    },
    (req, res) => {
      if (lifecycle.signal.aborted) res.setHeader('connection', 'close');
      app.express(req, res);
    },
  );
  server.maxHeadersCount = MAX_HEADERS;
  await bind(server, host, port);
  lifecycle.signal.addEventListener('abort', app.markStopping, { once: true });
  lifecycle.onStop('http server', () => close(server));
  return { port: (server.address() as AddressInfo).port };
}

function bind(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    // close() ends idle connections at once and the others after their answer, which says `Connection: close`.
    server.close(() => resolve());
  });
}
