import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Transform } from 'node:stream';
import type { HashedBody } from '../idempotency/index.ts';
import { payloadTooLarge, STREAM_LIMIT_BYTES } from './body-limits.ts';
import { badBody } from './read-body.ts';

const IDLE_MS = 60_000;

/**
 * The body of a `'stream'` endpoint: counted (413 as soon as more is announced or arrives), given up
 * when it stalls and, for an `Idempotency-Key`, hashed as it passes.
 * Whoever reads it may destroy it without harm: the answer can still be sent.
 */
export function openStreamBody(req: IncomingMessage, withHash: boolean): { body: Transform } & HashedBody {
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
  const onCut = (): void => {
    if (!req.complete) body.destroy(badBody('invalid_format', 'The body ended too early'));
  };
  // Not pipeline(): it would take the socket down with the reader, and the answer with it.
  req.once('close', onCut).once('error', onCut);
  req.setTimeout(IDLE_MS, () => body.destroy(badBody('invalid_format', 'The body stopped arriving')));
  req.once('end', () => req.setTimeout(0));
  // A reader that came too late, or none at all, must not turn a cut connection into a crash.
  body.on('error', () => {});
  const announced = Number(req.headers['content-length']);
  if (announced > STREAM_LIMIT_BYTES) body.destroy(payloadTooLarge(STREAM_LIMIT_BYTES));
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
