import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError, toHttpError } from '../errors/index.ts';
import { newId } from '../ids/index.ts';
import { realNow } from '../time/index.ts';
import type { AppOptions, RejectMalformed } from './app.ts';

/**
 * Writes the error envelope for Node's `clientError`, which has no response object. What is malformed may be the body of the current request, or
 * bytes behind a complete one, such as a call that is being placed: that one is answered as usual, and then the connection closes.
 */
export function createRejectMalformed({
  log,
  headers = {},
  malformedHeaders = {},
}: Pick<AppOptions, 'log' | 'headers' | 'malformedHeaders'>): RejectMalformed {
  const closing = new WeakSet<Duplex>();
  return (err, socket, current) => {
    // The error is that of a connection which has been lost, such as a reset.
    if (socket.destroyed) return;
    if (current?.req.complete) {
      // Each further byte is an error of its own.
      if (closing.has(socket)) return;
      closing.add(socket);
      const requestId = current.getHeader('x-request-id');
      log.info({ requestId, code: toAppError(err).code }, 'malformed bytes behind a request');
      if (!current.headersSent) current.setHeader('connection', 'close');
      current.once('close', () => socket.end(() => socket.destroy()));
      return;
    }
    if (current?.socket === null) {
      if (closing.has(socket)) return;
      closing.add(socket);
      // Behind an earlier response, which may be half written, or not begun.
      current.once('socket', () => reject(err, socket, current));
      return;
    }
    reject(err, socket, current);
  };

  function reject(err: Error, socket: Duplex, current: ServerResponse | undefined): void {
    const isFree = !current?.headersSent;
    const response = socket.writable && isFree ? responseTo(err, current) : undefined;
    // Flushes what was written before. Under a flood of bytes this runs more than once, and responds once.
    socket.end(response, () => socket.destroy());
  }

  function responseTo(err: Error, current: ServerResponse | undefined): string {
    const error = toAppError(err);
    const { status, code } = error;
    const requestId = String(current?.getHeader('x-request-id') ?? newId());
    log.info({ requestId, status, code }, 'malformed request rejected');
    const body = JSON.stringify(toHttpError(error).body);
    const lines = Object.entries({
      ...headers,
      ...malformedHeaders,
      'x-request-id': requestId,
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      date: realNow().toUTCString(),
      connection: 'close',
    }).map(([name, value]) => `${name}: ${value}\r\n`);
    return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
  }
}

function toAppError(err: Error): AppError {
  switch ('code' in err && err.code) {
    case 'HPE_HEADER_OVERFLOW':
      return new AppError('HEADERS_TOO_LARGE', 'The request headers are too large');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new AppError('PAYLOAD_TOO_LARGE', 'The chunk extensions of the body are too large');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new AppError('REQUEST_TIMEOUT', 'The request did not arrive in time');
    default:
      return new AppError('BAD_REQUEST', 'Malformed HTTP request');
  }
}
