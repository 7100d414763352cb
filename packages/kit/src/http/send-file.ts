import type { Response } from 'express';
import { notFound } from '../errors/index.ts';
import type { FileAnswer } from './handler.ts';

/**
 * Sends a file, or the part of it that `Range` asks for: 200, 206, 304, 416, and HEAD without a body (RFC 9110, 14).
 * A file that isn't there is `404 NOT_FOUND`.
 */
export function sendFile(res: Response, { file, contentType, headers = {} }: FileAnswer): Promise<void> {
  res.setHeader('content-type', contentType);
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  return new Promise((resolve, reject) => {
    // Express answers with ranges, validators and HEAD. A dot in the folder's own path hides nothing.
    res.sendFile(file, { cacheControl: false, dotfiles: 'allow' }, (err?: SendError) => {
      if (!err || res.headersSent) return resolve();
      if (err.status === 416) resolve(refuseRange(res, err));
      else reject(err.status === 404 ? notFound('File') : err);
    });
  });
}

type SendError = Error & { status?: number; headers?: Record<string, string> };

/** No error of the contract: what may be asked for stands in `Content-Range`. */
function refuseRange(res: Response, { headers }: SendError): void {
  res.removeHeader('content-type');
  res.writeHead(416, { ...headers, 'content-length': '0' });
  res.end();
}
