import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { AppError } from '../errors/index.ts';
import type { Lifecycle } from '../lifecycle/index.ts';
import { noteOwnPort } from '../outbound/own-ports.ts';
import { monotonicMs, realSleep } from '../time/index.ts';
import type { App } from './app.ts';

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

type ConnectionLimits = {
  /** Maximum of all clients together; further connections are closed at once. */
  max: number;
  perNetwork: number;
  /** The addresses that one client may have, such as a /64 of IPv6. */
  networkOf: (address: string) => string;
  /** Addresses that many clients share, such as a proxy's: `perNetwork` doesn't apply to them. */
  isShared: (address: string) => boolean;
};

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

/** A request to become a WebSocket; `socket` has been read up to `head`. */
export type WebSocketRequest = { req: IncomingMessage; socket: Duplex; head: Buffer };

export type OnWebSocket = (request: WebSocketRequest) => Promise<void>;

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
  if (limits) limitConnections(server, limits);
  const connections = watchConnections(server);
  server.on('request', (req, res) => {
    if (req.headers.host === undefined && req.httpVersion === '1.1') app.reject(req, res, missingHost());
    else app.listener(req, res);
  });
  if (onWebSocket)
    server.on('upgrade', (req, socket, head) => {
      // A client that disconnects is no failure.
      socket.on('error', () => socket.destroy());
      if (req.headers.upgrade?.toLowerCase() === 'websocket')
        upgrade(app, onWebSocket, { req, socket, head });
      else serveWithoutUpgrade(server, { req, socket, head });
    });
  server.on('checkExpectation', (req, res) => app.reject(req, res, unsupportedExpectation()));
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

function upgrade(app: App, onWebSocket: OnWebSocket, { req, socket, head }: WebSocketRequest): void {
  onWebSocket({ req, socket, head }).catch((err: unknown) => {
    const error =
      err instanceof AppError
        ? err
        : new AppError('INTERNAL_ERROR', 'Unexpected server error', { cause: err });
    if (socket.destroyed) return;
    const res = new ServerResponse(req);
    res.shouldKeepAlive = false;
    res.assignSocket(socket as Socket);
    res.once('finish', () => socket.end());
    app.reject(req, res, error);
  });
}

const OF_UPGRADES: ReadonlySet<string> = new Set(['upgrade', 'connection', 'http2-settings']);

/**
 * With an `upgrade` listener, Node hands over every request with an `Upgrade` header, without its body, and Java's client sends
 * one for HTTP/2 with the first request of a connection. The server reads such a request again without that header.
 */
function serveWithoutUpgrade(server: Server, { req, socket, head }: WebSocketRequest): void {
  const lines = [`${req.method} ${req.url} HTTP/${req.httpVersion}`];
  for (let n = 0; n < req.rawHeaders.length; n += 2) {
    const name = req.rawHeaders[n] ?? '';
    if (!OF_UPGRADES.has(name.toLowerCase())) lines.push(`${name}: ${req.rawHeaders[n + 1]}`);
  }
  lines.push('Connection: close');
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}

function missingHost(): AppError {
  return new AppError('BAD_REQUEST', 'HTTP/1.1 requests need a Host header');
}

function unsupportedExpectation(): AppError {
  return new AppError('EXPECTATION_FAILED', 'Only `Expect: 100-continue` is supported');
}

type Connections = {
  /** The current response on a connection. */
  responseOn(socket: Duplex): ServerResponse | undefined;
  /** From now on each connection closes after its current or its next response. */
  closeAfterResponse(): void;
  /** Closes connections without a request in flight, also those that never had one, which Node's `closeIdleConnections` keeps. */
  closeIdle(): void;
};

/**
 * The current response is a property of its socket. In a map, which grows and shrinks with every request and is reallocated each
 * time, old tables would promote the new ones to the old generation (p99 of the gateway).
 */
const RESPONSE = Symbol('response');
/** Responses that arrived behind another one of their connection (pipelining), until they close. */
const PIPELINED = Symbol('pipelined responses');
type Connection = Socket & {
  [RESPONSE]?: ServerResponse | undefined;
  [PIPELINED]?: Set<ServerResponse> | undefined;
};

function watchConnections(server: Server): Connections {
  const sockets = new Set<Connection>();
  let isStopping = false;

  server.on('connection', (socket: Connection) => {
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      for (const res of socket[PIPELINED] ?? []) closeQueued(res);
    });
  });
  server.on('request', (req, res) => {
    const socket: Connection = req.socket;
    socket[RESPONSE] = res;
    if (res.socket === null) {
      socket[PIPELINED] ??= new Set();
      socket[PIPELINED].add(res);
    }
    if (isStopping) res.setHeader('connection', 'close');
    res.once('close', () => {
      socket[PIPELINED]?.delete(res);
      // With pipelining the next request is in flight already.
      if (socket[RESPONSE] === res) socket[RESPONSE] = undefined;
      // The headers of this response may have been sent before, without `Connection: close`.
      if (isStopping && !socket[RESPONSE]) socket.end();
    });
  });

  return {
    responseOn: (socket) => (socket as Connection)[RESPONSE],
    closeAfterResponse: () => {
      isStopping = true;
      for (const { [RESPONSE]: res } of sockets) {
        if (res && !res.headersSent) res.setHeader('connection', 'close');
      }
    },
    closeIdle: () => {
      for (const socket of sockets) if (!socket[RESPONSE]) socket.destroy();
    },
  };
}

/**
 * Node closes only the current response of a closed connection. Those behind it would never close, and what was acquired for them would
 * never be released. A closed socket of its own makes Node close such a response like the current one: `closed`, `destroyed`, `close`.
 */
function closeQueued(res: ServerResponse): void {
  if (res.socket === null) res.assignSocket(new Socket().destroy());
}

/** Closes connections over the limits before a byte of them is read. */
function limitConnections(server: Server, { max, perNetwork, networkOf, isShared }: ConnectionLimits): void {
  server.maxConnections = max;
  const open = new Map<string, number>();
  const counted = new WeakSet<Socket>();
  server.prependListener('connection', (socket) => {
    // Emitted a second time for a request with an `Upgrade` header.
    if (counted.has(socket)) return;
    counted.add(socket);
    const address = socket.remoteAddress ?? '';
    if (isShared(address)) return;
    const network = networkOf(address);
    const others = open.get(network) ?? 0;
    if (others >= perNetwork) {
      socket.destroy();
      return;
    }
    open.set(network, others + 1);
    socket.once('close', () => {
      const left = (open.get(network) ?? 1) - 1;
      if (left > 0) open.set(network, left);
      else open.delete(network);
    });
  });
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
