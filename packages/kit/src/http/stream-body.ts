import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Transform } from 'node:stream';
import type { HashedBody } from '../idempotency/index.ts';
import { realTimer } from '../time/index.ts';
import { payloadTooLarge, STREAM_LIMIT_BYTES } from './body-limits.ts';
import { badBody } from './read-body.ts';

const IDLE_MS = 60_000;
/** The minimum of bytes per interval: a slower client would occupy a slot that others wait for. */
const PACE_MS = 60_000;
const MIN_PACE_BYTES = 128 * 1024;

/**
 * The body of a `'stream'` endpoint. It is limited (413 as soon as `Content-Length` or the bytes exceed the limit), rejected when it
 * stalls, and hashed for an `Idempotency-Key`. The reader may destroy it: the response can still be sent.
 */
export function openStreamBody(
  req: IncomingMessage,
  withHash: boolean,
  paceMs = PACE_MS,
): { body: Transform } & HashedBody {
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
  const onClose = (): void => {
    if (!req.complete) body.destroy(badBody('invalid_format', 'The body ended too early'));
  };
  // Not pipeline(): with the reader it would destroy the socket, and the response with it.
  req.once('close', onClose).once('error', onClose);
  req.setTimeout(IDLE_MS, () => body.destroy(badBody('invalid_format', 'The body stopped arriving')));
  let sizeBefore = 0;
  let stopPaceCheck = (): void => {};
  const checkPace = (): void => {
    stopPaceCheck = realTimer(paceMs, () => {
      // With a full buffer the reader is the slow one, not the client.
      const isReaderSlow = body.readableLength >= body.readableHighWaterMark;
      if (!isReaderSlow && size - sizeBefore < MIN_PACE_BYTES)
        body.destroy(badBody('invalid_format', 'The body arrived too slowly'));
      sizeBefore = size;
      if (!body.destroyed) checkPace();
    });
  };
  checkPace();
  req.once('close', () => stopPaceCheck()).once('end', () => stopPaceCheck());
  body.once('close', () => stopPaceCheck());
  req.once('end', () => req.setTimeout(0));
  // Without a reader an error of a closed connection must not end the process.
  body.on('error', () => {});
  const declaredBytes = Number(req.headers['content-length']);
  if (declaredBytes > STREAM_LIMIT_BYTES) body.destroy(payloadTooLarge(STREAM_LIMIT_BYTES));
  else req.pipe(body);

  return {
    body,
    known: () => digest,
    whole: async () => {
      for await (const _chunk of body);
      return digest ?? '';
    },
  };
}
