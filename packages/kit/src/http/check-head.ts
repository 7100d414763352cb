import type { IncomingMessage } from 'node:http';
import { AppError } from '../errors/index.ts';

/** The error for a request whose headers Node accepts and RFC 9112 does not (3.2, 6.1): without a `Host`, with several, or with a compressed transfer. */
export function checkHead({ headers, rawHeaders, httpVersion }: IncomingMessage): AppError | undefined {
  if (headers.host === undefined) {
    if (httpVersion === '1.1') return new AppError('BAD_REQUEST', 'HTTP/1.1 requests need a Host header');
  } else if (countHosts(rawHeaders) > 1)
    return new AppError('BAD_REQUEST', 'The Host header is given more than once');
  const { 'transfer-encoding': encoding } = headers;
  // Node removes `chunked` only.
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked')
    return new AppError('UNSUPPORTED_MEDIA_TYPE', 'The only supported Transfer-Encoding is chunked');
  return undefined;
}

/** Node's `headers` has the first one only. */
function countHosts(rawHeaders: readonly string[]): number {
  return rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
}
