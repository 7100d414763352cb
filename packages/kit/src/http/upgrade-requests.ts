import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { AppError } from '../errors/index.ts';
import type { App } from './app.ts';
import { checkHead } from './check-head.ts';

/** A request to become a WebSocket; `socket` has been read up to `head`. */
export type WebSocketRequest = { req: IncomingMessage; socket: Duplex; head: Buffer };

export type OnWebSocket = (request: WebSocketRequest) => Promise<void>;

type Deps = {
  app: App;
  onWebSocket: OnWebSocket;
  /** The current response on a connection. */
  responseOn(socket: Duplex): ServerResponse | undefined;
};

/** Hands over requests for WebSockets, after the responses to earlier ones. Others with an `Upgrade` header are served as usual. */
export function takeUpgrades(server: Server, { app, onWebSocket, responseOn }: Deps): void {
  server.on('upgrade', (req, socket, head) => {
    // A client that disconnects is no failure.
    socket.on('error', () => socket.destroy());
    const take = (): void => {
      // The earlier response has ended the connection. It would stay open while bytes of the client are unread.
      if (!socket.writable) {
        socket.end(() => socket.destroy());
        return;
      }
      if (req.headers.upgrade?.toLowerCase() === 'websocket')
        upgrade(app, onWebSocket, { req, socket, head });
      else serveWithoutUpgrade(server, { req, socket, head });
    };
    const earlier = responseOn(socket);
    if (earlier) earlier.once('close', take);
    else take();
  });
}

function upgrade(app: App, onWebSocket: OnWebSocket, { req, socket, head }: WebSocketRequest): void {
  const problem = checkHead(req);
  const done = problem ? Promise.reject(problem) : onWebSocket({ req, socket, head });
  done.catch((err: unknown) => {
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
