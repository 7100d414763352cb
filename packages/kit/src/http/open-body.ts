import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Readable, Transform } from 'node:stream';
import { AppError, validationFailed } from '../errors/index.ts';
import type { HashedBody } from '../idempotency/index.ts';
import { realTimer } from '../time/index.ts';
import { payloadTooLarge, STREAM_LIMIT_BYTES } from './body-limits.ts';

/** How fast a body must arrive; a slower one is 408. */
type Pace = {
  /** The maximum pause. */
  idleMs: number;
  /** The minimum of bytes per interval: a slower client would occupy resources that others wait for. */
  intervalMs: number;
  minBytes: number;
};

/** JSON must be complete when the first interval ends. */
const JSON_PACE: Pace = { idleMs: 10_000, intervalMs: 30_000, minBytes: Number.POSITIVE_INFINITY };
const STREAM_PACE: Pace = { idleMs: 60_000, intervalMs: 60_000, minBytes: 128 * 1024 };

const BLOCK_BYTES = 4 * 1024;

/**
 * The body of a `'stream'` endpoint. It is limited (413 as soon as `Content-Length` or the bytes exceed the limit), and hashed for an
 * `Idempotency-Key`. The reader may destroy it: the response can still be sent.
 */
export function openStreamBody(
  req: IncomingMessage,
  withHash: boolean,
  pace = STREAM_PACE,
): { body: Transform } & HashedBody {
  requirePlainUtf8(req);
  if (Number(req.headers['content-length']) > STREAM_LIMIT_BYTES) throw payloadTooLarge(STREAM_LIMIT_BYTES);
  const hash = withHash ? createHash('sha256') : undefined;
  let size = 0;
  let digest: string | null = null;
  const body = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      size += chunk.length;
      if (size > STREAM_LIMIT_BYTES) return done(payloadTooLarge(STREAM_LIMIT_BYTES));
      hash?.update(chunk);
      done(null, chunk);
    },
    flush: (done) => {
      digest = hash?.digest('hex') ?? null;
      done();
    },
  });
  supervise(req, body, pace);
  // Not pipeline(): with the reader it would destroy the socket, and the response with it.
  req.pipe(body);
  return {
    body,
    known: () => digest,
    whole: async () => {
      for await (const _chunk of body);
      return digest ?? '';
    },
  };
}

/**
 * The body of a JSON endpoint, its small chunks joined: each one has an overhead of hundreds of bytes, so that a list of them would be
 * many times the size of a body that arrives byte by byte.
 */
export function openJsonBody(req: IncomingMessage): Readable {
  requirePlainUtf8(req);
  const body = new Readable({ read: () => {} });
  let block = Buffer.alloc(0);
  let used = 0;
  const pushBlock = (): void => {
    body.push(block.subarray(0, used));
    used = 0;
  };
  req.on('data', (chunk: Buffer) => {
    if (body.destroyed) return;
    if (used > 0 && used + chunk.length > BLOCK_BYTES) pushBlock();
    if (chunk.length >= BLOCK_BYTES) body.push(chunk);
    else {
      if (used === 0) block = Buffer.allocUnsafe(BLOCK_BYTES);
      used += chunk.copy(block, used);
    }
  });
  req.once('end', () => {
    pushBlock();
    body.push(null);
  });
  supervise(req, body, JSON_PACE);
  return body;
}

/** Destroys a body that is too slow (408) or cut. */
function supervise(req: IncomingMessage, body: Readable, { idleMs, intervalMs, minBytes }: Pace): void {
  const onClose = (): void => {
    if (!req.readableEnded) body.destroy(cut());
  };
  // Without a reader an error must not end the process.
  body.on('error', () => {});
  // It waited for its turn, and the client has gone: no event follows.
  if (req.destroyed) {
    onClose();
    return;
  }
  let size = 0;
  let sizeBefore = 0;
  let cancel = (): void => {};
  const checkPace = (): void => {
    cancel = realTimer(intervalMs, () => {
      // With a full buffer the reader is the slow one, not the client.
      const isReaderSlow = body.readableLength >= body.readableHighWaterMark;
      if (!isReaderSlow && size - sizeBefore < minBytes)
        body.destroy(timedOut('The body arrived too slowly'));
      sizeBefore = size;
      if (!body.destroyed) checkPace();
    });
  };
  checkPace();
  req.on('data', (chunk: Buffer) => {
    size += chunk.length;
  });
  req.setTimeout(idleMs, () => body.destroy(timedOut('The body did not arrive in time')));
  req.once('close', onClose).once('error', onClose);
  req.once('end', () => {
    cancel();
    // Otherwise the response may have been sent, and the timeout is that of an idle connection.
    if (!body.destroyed) req.setTimeout(0);
  });
  body.once('close', () => {
    cancel();
    if (!req.complete) req.setTimeout(0);
  });
}

const UTF8 = new Set(['utf-8', 'utf8', 'us-ascii']);

/** 415 for a compressed body, and for one in another charset. */
function requirePlainUtf8({ headers }: IncomingMessage): void {
  const { 'content-encoding': encoding = '', 'content-type': type = '' } = headers;
  if (!/^(identity)?$/i.test(encoding))
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send the body uncompressed, without Content-Encoding');
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(type) ?? [];
  if (!UTF8.has(charset.toLowerCase()))
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'The charset of the body must be utf-8');
}

function timedOut(message: string): AppError {
  return new AppError('REQUEST_TIMEOUT', message);
}

function cut(): AppError {
  const message = 'The body ended too early';
  return validationFailed([{ path: '', code: 'invalid_format', message }]);
}
