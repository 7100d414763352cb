import { type ServerResponse, STATUS_CODES } from 'node:http';
import { AppError, toHttpError } from '../errors/index.ts';
import { newId } from '../ids/index.ts';
import { realNow } from '../time/index.ts';
import type { AppOptions, RefuseUnreadable } from './app.ts';

/** The error envelope (spec: Errors) for Node's `clientError`, written by hand: there is no request to answer. */
export function createRefuseUnreadable({
  log,
  headers = {},
}: Pick<AppOptions, 'log' | 'headers'>): RefuseUnreadable {
  return (err, socket, begun) => {
    // An answer that waits behind another has no socket yet: the other may be half written.
    const isFree = !begun || (begun.socket !== null && !begun.headersSent);
    const answer = socket.writable && isFree ? answerTo(err, begun) : undefined;
    // What was written before still leaves; who floods is told once, and ends here more than once.
    socket.end(answer, () => socket.destroy());
  };

  function answerTo(err: Error, begun: ServerResponse | undefined): string {
    const refusal = refusalOf(err);
    const { status, code } = refusal;
    const requestId = String(begun?.getHeader('x-request-id') ?? newId());
    log.info({ requestId, status, code }, 'request refused unread');
    const body = JSON.stringify(toHttpError(refusal).body);
    const lines = Object.entries({
      ...headers,
      'x-request-id': requestId,
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      date: realNow().toUTCString(),
      connection: 'close',
    }).map(([name, value]) => `${name}: ${value}\r\n`);
    return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
  }
}

function refusalOf(err: Error): AppError {
  switch ('code' in err && err.code) {
    case 'HPE_HEADER_OVERFLOW':
      return new AppError('HEADERS_TOO_LARGE', 'The headers of the request are too large');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new AppError('PAYLOAD_TOO_LARGE', 'The extensions of the chunks of the body are too large');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new AppError('REQUEST_TIMEOUT', 'The request did not arrive in time');
    default:
      return new AppError('BAD_REQUEST', 'What was sent is no request of HTTP/1.1');
  }
}
