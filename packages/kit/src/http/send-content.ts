import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import { disconnect } from './client-gone.ts';
import type { ContentResponse } from './handler.ts';

/** The end is included. */
type Part = { start: number; end: number };

/**
 * Sends content that is read from elsewhere, or the part of it that `Range` requests: 200, 206, 304, 416, and HEAD without a body
 * (RFC 9110, 14). Several ranges at once are answered with the whole.
 */
export async function sendContent(
  req: Request,
  res: Response,
  { content, contentType, headers = {} }: ContentResponse,
): Promise<void> {
  const { size, etag, modifiedAt } = content;
  const validators = { 'accept-ranges': 'bytes', etag, 'last-modified': modifiedAt.toUTCString() };
  const part = partOf(req, content);
  if (part === 'none') {
    res.writeHead(416, { 'content-range': `bytes */${size}`, 'content-length': '0' });
    res.end();
    return;
  }
  const { start, end } = part ?? { start: 0, end: size - 1 };
  const isHead = req.method === 'HEAD' || size === 0;
  // Read before the head is sent, so that a failure is an ordinary error response.
  const body: Readable | undefined = isHead ? undefined : await content.read({ start, end });
  for (const [name, value] of Object.entries({ ...validators, ...headers })) res.setHeader(name, value);
  if (req.fresh) {
    body?.destroy();
    res.writeHead(304);
    res.end();
    return;
  }
  res.setHeader('content-type', contentType);
  res.setHeader('content-length', end - start + 1);
  if (part) res.setHeader('content-range', `bytes ${start}-${end}/${size}`);
  res.writeHead(part ? 206 : 200);
  if (!body) {
    res.end();
    return;
  }
  await pipeline(body, res).catch((err: NodeJS.ErrnoException) => {
    // A source that breaks off is logged. A client may close the connection early.
    if (err.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw err;
    disconnect(res);
  });
}

/** Undefined: the whole file; `none`: the range does not exist. */
function partOf(
  req: Request,
  { size, etag, modifiedAt }: ContentResponse['content'],
): Part | 'none' | undefined {
  const condition = req.get('if-range');
  if (condition !== undefined && condition !== etag && condition !== modifiedAt.toUTCString())
    return undefined;
  const ranges = req.range(size, { combine: true });
  if (ranges === -1) return 'none';
  if (ranges === undefined || ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1)
    return undefined;
  return ranges[0];
}
