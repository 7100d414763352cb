import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AppError } from '../errors/index.ts';
import type { Lifecycle } from '../lifecycle/index.ts';
import { noteOwnPort } from '../outbound/own-ports.ts';
import { monotonicMs, realSleep } from '../time/index.ts';
import type { App } from './app.ts';
import { checkHead } from './check-head.ts';
import { type ConnectionLimits, limitConnections } from './limit-connections.ts';
import { limitPipelining } from './limit-pipelining.ts';
import { type OnWebSocket, takeUpgrades } from './upgrade-requests.ts';
import { watchConnections } from './watch-connections.ts';

/** The limit for request headers to arrive; Node checks it four times within that time. */
const HEADERS_TIMEOUT_MS = 10_000;
/** The limit of the longest upload; JSON bodies have a much shorter one. */
const REQUEST_TIMEOUT_MS = 30 * 60_000;
/** Longer than any of our clients keeps an idle connection: the client closes it, never under a request. */
const KEEP_ALIVE_MS = 75_000;
/** Larger headers are rejected with 431. Limit of services: the gateway's own 16 KiB, and room for what it adds. */
const MAX_HEADER_BYTES = 24 * 1024;
/** Node drops headers beyond a number, an `Idempotency-Key` among them; 0 is no limit. */
const UNLIMITED_HEADERS = 0;
/** Busy clients reconnect now and then, so that none stays with one replica forever. */
const MAX_REQUESTS_PER_CONNECTION = 100_000;

export type ListenOptions = {
  host: string;
  port: number;
  /**
   * Milliseconds for which it still serves after the process was told to stop (`STOP_DRAIN_MS`). Meanwhile load balancers see that it
   * isn't ready and clients close their connections, so that no request fails.
   */
  drainMs?: number;
  /** The limit of all headers of a request. */
  maxHeaderBytes?: number;
  /** Limits of open connections; none by default. */
  connections?: ConnectionLimits;
  /** Milliseconds within which the headers of a request must arrive. */
  headersTimeoutMs?: number;
  /** Takes over the connections of WebSockets; without it they are refused. Rejects with the error to respond with. */
  onWebSocket?: OnWebSocket;
};

/**
 * Serves an app. On stop `/readyz` responds with 503 and every response has `Connection: close`. After `drainMs` no connection is
 * accepted, idle ones are closed, and requests in flight are finished.
 */
export async function listen(
  app: App,
  {
    host,
    port,
    drainMs = 0,
    maxHeaderBytes = MAX_HEADER_BYTES,
    headersTimeoutMs = HEADERS_TIMEOUT_MS,
    connections: limits,
    onWebSocket,
  }: ListenOptions,
  lifecycle: Lifecycle,
): Promise<{ port: number }> {
  const server = createServer({
    headersTimeout: headersTimeoutMs,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: headersTimeoutMs / 4,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: maxHeaderBytes,
    // Node's own 400 has no body; ours has the error envelope.
    requireHostHeader: false,
    noDelay: true,
  });
  server.maxRequestsPerSocket = MAX_REQUESTS_PER_CONNECTION;
  server.maxHeadersCount = UNLIMITED_HEADERS;
  if (limits) limitConnections(server, limits, app.noteClosed);
  const connections = watchConnections(server);
  const hasRoom = limitPipelining((remote) => app.noteClosed('pipelining', remote));
  server.on('request', (req, res) => {
    if (!hasRoom(res)) return;
    const problem = checkHead(req);
    if (problem) app.reject(req, res, problem);
    else app.listener(req, res);
  });
  if (onWebSocket) takeUpgrades(server, { app, onWebSocket, responseOn: connections.responseOn });
  server.on('checkExpectation', (req, res) => {
    if (hasRoom(res)) app.reject(req, res, unsupportedExpectation());
  });
  server.on('clientError', (err, socket) => app.rejectMalformed(err, socket, connections.responseOn(socket)));

  await bind(server, host, port);
  let drainedAtMs = 0;
  const beginToStop = (): void => {
    // Two servers of a process drain at the same time, though they close one after the other.
    drainedAtMs = monotonicMs() + drainMs;
    app.markStopping();
    connections.closeAfterResponse();
  };
  lifecycle.signal.addEventListener('abort', beginToStop, { once: true });
  lifecycle.onStop('http server', async () => {
    const leftMs = drainedAtMs - monotonicMs();
    if (leftMs > 0) await realSleep(leftMs);
    const closed = new Promise((resolve) => server.close(resolve));
    connections.closeIdle();
    await closed;
  });
  return { port: (server.address() as AddressInfo).port };
}

function unsupportedExpectation(): AppError {
  return new AppError('EXPECTATION_FAILED', 'Only `Expect: 100-continue` is supported');
}

function bind(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      server.once('close', noteOwnPort((server.address() as AddressInfo).port));
      resolve();
    });
  });
}
