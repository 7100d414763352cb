import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError } from '../errors/index.ts';
import type { WebSocketRequest } from './upgrade-requests.ts';

const CONNECT_TIMEOUT_MS = 3_000;
const RETRY_AFTER_SECONDS = 1;
const HANDSHAKE_HEADERS = ['sec-websocket-key', 'sec-websocket-version', 'sec-websocket-protocol'] as const;
/** Headers of a refusal that are passed on; its body arrives decoded and ends with the connection. */
const REFUSAL_HEADERS = ['content-type', 'retry-after', 'x-request-id'] as const;

/**
 * Connects a client's WebSocket to one at `url`, which accepts it or refuses it with its own response. Rejects with
 * `SERVICE_UNAVAILABLE` if it doesn't answer. `headers` replace the client's, except those of the handshake.
 */
export function forwardWebSocket(
  url: URL,
  headers: OutgoingHttpHeaders,
  { req, socket, head }: WebSocketRequest,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      headers: { ...headers, ...handshakeOf(req.headers) },
      timeout: CONNECT_TIMEOUT_MS,
      agent: false,
    });
    const fail = (cause: unknown): void =>
      reject(
        new AppError('SERVICE_UNAVAILABLE', 'The service is not available right now', {
          cause,
          retryAfterSeconds: RETRY_AFTER_SECONDS,
        }),
      );
    const giveUp = (): void => void outgoing.destroy();
    socket.once('close', giveUp);
    outgoing.on('timeout', () => outgoing.destroy(new Error('no answer in time')));
    outgoing.on('error', fail);
    outgoing.on('response', (response) => {
      socket.off('close', giveUp);
      const { statusCode = 502, statusMessage = '' } = response;
      const headers = pick(response.headers, REFUSAL_HEADERS);
      socket.write(headOf(`${statusCode} ${statusMessage}`, { ...headers, connection: 'close' }));
      response.pipe(socket);
      resolve();
    });
    outgoing.on('upgrade', (response, other, otherHead) => {
      socket.off('close', giveUp);
      // The client closed it before this request began.
      if (socket.destroyed) {
        other.destroy();
        resolve();
        return;
      }
      socket.write(headOf('101 Switching Protocols', response.headers));
      if (otherHead.length > 0) socket.write(otherHead);
      if (head.length > 0) other.write(head);
      join(socket, other);
      resolve();
    });
    outgoing.end();
  });
}

/** Pipes both ways; closing one side closes the other. */
function join(a: Duplex, b: Duplex): void {
  for (const [from, to] of [
    [a, b],
    [b, a],
  ] as const) {
    if ('setNoDelay' in from && typeof from.setNoDelay === 'function') from.setNoDelay(true);
    if ('setTimeout' in from && typeof from.setTimeout === 'function') from.setTimeout(0);
    from.on('error', () => to.destroy());
    from.once('close', () => to.destroy());
    from.pipe(to);
  }
}

function handshakeOf(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  return { ...pick(headers, HANDSHAKE_HEADERS), connection: 'Upgrade', upgrade: 'websocket' };
}

function pick(headers: IncomingHttpHeaders, names: readonly string[]): IncomingHttpHeaders {
  return Object.fromEntries(
    names.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])),
  );
}

function headOf(status: string, headers: NodeJS.Dict<string | string[]>): string {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one) => `${name}: ${one}`),
  );
  return `HTTP/1.1 ${status}\r\n${lines.join('\r\n')}\r\n\r\n`;
}
