import type { ReadStream } from 'node:fs';
import type { Response } from 'express';
import { notFound } from '../errors/index.ts';
import { disconnect } from './client-gone.ts';
import type { FileResponse } from './handler.ts';
import { abortResponse } from './respond-with-error.ts';

type SendOptions = {
  /** The folder that `file` is relative to, and that it never leaves. */
  root?: string;
  dotfiles?: 'allow' | 'ignore';
  acceptRanges?: boolean;
  lastModified?: boolean;
};

/**
 * Sends a file, or the part of it that `Range` requests: 200, 206, 304, 416, and HEAD without a body (RFC 9110, 14). A missing file is
 * `404 NOT_FOUND`. One that cannot be read to its end closes the connection.
 */
export function sendFile(
  res: Response,
  { file, contentType, headers = {} }: FileResponse,
  options: SendOptions = {},
): Promise<void> {
  const { req } = res;
  // They protect changes. Express would answer 412, for which the contract has no code, and content in a bucket ignores them as well.
  delete req.headers['if-match'];
  delete req.headers['if-unmodified-since'];
  const before = { ...res.getHeaders() };
  setHeaders(res, { ...headers, 'content-type': contentType });
  // A file that became shorter is no error to Express. It ends the response next, which would look complete on our side.
  res.once('pipe', (source: ReadStream) =>
    source.prependOnceListener('end', () => {
      if (source.bytesRead < Number(res.getHeader('content-length'))) abortResponse(shorter(), req, res);
    }),
  );
  return new Promise((resolve, reject) => {
    // Express handles ranges, validators and HEAD. `dotfiles`: the folder's own path may have a dot.
    res.sendFile(file, { cacheControl: false, dotfiles: 'allow', ...options }, (err?: SendError) => {
      if (!err) return resolve();
      // A client that has disconnected is no failure.
      if (err.code === 'ECONNABORTED' || req.socket.destroyed) {
        disconnect(res);
        return resolve();
      }
      if (res.headersSent) return reject(err);
      if (err.status === 416) return resolve(rejectRange(res, err));
      for (const name of res.getHeaderNames()) res.removeHeader(name);
      setHeaders(res, before);
      reject(err.status === 404 ? notFound('File') : err);
    });
  });
}

type SendError = Error & { status?: number; code?: string; headers?: Record<string, string> };

const shorter = (): Error => new Error('The file became shorter while it was sent');

function setHeaders(
  res: Response,
  headers: Readonly<Record<string, number | string | string[] | undefined>>,
): void {
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) res.setHeader(name, value);
}

/** Without an error envelope: `Content-Range` has the size. */
function rejectRange(res: Response, { headers }: SendError): void {
  res.removeHeader('content-type');
  res.writeHead(416, { ...headers, 'content-length': '0' });
  res.end();
}
