import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { AppError } from '../errors/index.ts';
import type { Lifecycle } from '../lifecycle/index.ts';
import { monotonicMs, realSleep } from '../time/index.ts';
import type { App } from './app.ts';

/** A head that comes slower than this is cut off; it is looked for four times meanwhile. */
const HEADERS_TIMEOUT_MS = 10_000;
/** The longest upload; JSON bodies have their own, much shorter deadline. */
const REQUEST_TIMEOUT_MS = 30 * 60_000;
/** Longer than any client of ours keeps an idle connection: it is the client that closes, never under a request. */
const KEEP_ALIVE_MS = 75_000;
/** Of a head, beyond which it is refused with 431. A service also takes what the gateway adds to a client's. */
const MAX_HEADER_BYTES = 24 * 1024;
/** However many lines that is: Node would leave out those beyond a number, an `Idempotency-Key` among them. */
const ANY_NUMBER = 0;
/** A client that asks on begins anew at times, so that none sticks to one replica for ever. */
const MAX_REQUESTS_PER_CONNECTION = 100_000;

export type ListenOptions = {
  host: string;
  port: number;
  /**
   * How long it goes on serving once it is told to stop (`STOP_DRAIN_MS`). Whoever routes requests sees meanwhile that it
   * isn't ready, and clients let go of the connections that they have kept: no request meets a closed door.
   */
  drainMs?: number;
  /** The largest head that is taken. */
  maxHeaderBytes?: number;
  /** How long a head may take. */
  headersTimeoutMs?: number;
};

/**
 * Serves an app. Stopping: `/readyz` says 503 and every answer `Connection: close`; after the time to drain nothing new is
 * accepted, idle connections are closed, and what is in flight is finished.
 */
export async function listen(
  app: App,
  {
    host,
    port,
    drainMs = 0,
    maxHeaderBytes = MAX_HEADER_BYTES,
    headersTimeoutMs = HEADERS_TIMEOUT_MS,
  }: ListenOptions,
  lifecycle: Lifecycle,
): Promise<{ port: number }> {
  const server = createServer({
    headersTimeout: headersTimeoutMs,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: headersTimeoutMs / 4,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: maxHeaderBytes,
    // Node's refusal has no body; ours does.
    requireHostHeader: false,
    noDelay: true,
  });
  server.maxRequestsPerSocket = MAX_REQUESTS_PER_CONNECTION;
  server.maxHeadersCount = ANY_NUMBER;
  const connections = watchConnections(server);
  server.on('request', (req, res) => {
    if (req.headers.host === undefined && req.httpVersion === '1.1') app.refuse(req, res, noHost());
    else app.listener(req, res);
  });
  server.on('checkExpectation', (req, res) => app.refuse(req, res, unknownExpectation()));
  server.on('clientError', (err, socket) => app.refuseUnreadable(err, socket, connections.answerOn(socket)));

  await bind(server, host, port);
  let drainedAtMs = 0;
  const beginToStop = (): void => {
    // Two servers of a process drain at the same time, though they are closed one after the other.
    drainedAtMs = monotonicMs() + drainMs;
    app.markStopping();
    connections.keepNone();
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

function noHost(): AppError {
  return new AppError('BAD_REQUEST', 'A request of HTTP/1.1 needs a Host header');
}

function unknownExpectation(): AppError {
  return new AppError('EXPECTATION_FAILED', 'Expect may ask for 100-continue alone');
}

type Connections = {
  /** The answer that is under way on a connection. */
  answerOn(socket: Duplex): ServerResponse | undefined;
  /** From now on each closes with the answer that is under way on it, or with its next one. */
  keepNone(): void;
  /** Closes those without a request in flight, also those that never had one, which Node's `closeIdleConnections` leaves
   * to the timeout of their head. */
  closeIdle(): void;
};

/**
 * What is answered stands with its connection, and not in a map of all: a map that grows and shrinks with every request
 * is made anew all the time, and each one that is gone keeps the next one, with all that is in it, from the cheap
 * collection of what is young.
 */
const ANSWER = Symbol('answer');
type Connection = Socket & { [ANSWER]?: ServerResponse | undefined };

function watchConnections(server: Server): Connections {
  const sockets = new Set<Connection>();
  let leaving = false;

  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('request', (req, res) => {
    const socket: Connection = req.socket;
    socket[ANSWER] = res;
    if (leaving) res.setHeader('connection', 'close');
    res.once('close', () => {
      // A client that pipelines has the next request in flight already.
      if (socket[ANSWER] === res) socket[ANSWER] = undefined;
      // An answer that had begun before promised to keep the connection.
      if (leaving && !socket[ANSWER]) socket.end();
    });
  });

  return {
    answerOn: (socket) => (socket as Connection)[ANSWER],
    keepNone: () => {
      leaving = true;
      for (const { [ANSWER]: res } of sockets) {
        if (res && !res.headersSent) res.setHeader('connection', 'close');
      }
    },
    closeIdle: () => {
      for (const socket of sockets) if (!socket[ANSWER]) socket.destroy();
    },
  };
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
