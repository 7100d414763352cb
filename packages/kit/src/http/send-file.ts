import type { Response } from 'express';
import { notFound } from '../errors/index.ts';
import type { FileResponse } from './handler.ts';

/**
 * Sends a file, or the part of it that `Range` requests: 200, 206, 304, 416, and HEAD without a body (RFC 9110, 14). A missing file is
 * `404 NOT_FOUND`.
 */
export function sendFile(res: Response, { file, contentType, headers = {} }: FileResponse): Promise<void> {
  res.setHeader('content-type', contentType);
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  return new Promise((resolve, reject) => {
    // Express handles ranges, validators and HEAD. `dotfiles`: the folder's own path may have a dot.
    res.sendFile(file, { cacheControl: false, dotfiles: 'allow' }, (err?: SendError) => {
      if (!err || res.headersSent) return resolve();
      if (err.status === 416) resolve(rejectRange(res, err));
      else reject(err.status === 404 ? notFound('File') : err);
    });
  });
}

type SendError = Error & { status?: number; headers?: Record<string, string> };

/** Without an error envelope: `Content-Range` has the size. */
function rejectRange(res: Response, { headers }: SendError): void {
  res.removeHeader('content-type');
  res.writeHead(416, { ...headers, 'content-length': '0' });
  res.end();
}
