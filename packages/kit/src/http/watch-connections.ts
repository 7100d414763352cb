import type { RequestListener, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

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

export function watchConnections(server: Server): Connections {
  const sockets = new Set<Connection>();
  let isStopping = false;

  server.on('connection', (socket: Connection) => {
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      for (const res of socket[PIPELINED] ?? []) closeQueued(res);
    });
  });
  const follow: RequestListener = (req, res) => {
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
  };
  server.on('request', follow).on('checkExpectation', follow);

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
