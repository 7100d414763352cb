import type { IncomingMessage } from 'node:http';
import type { ErrorDetailCode } from '@parley/contracts';
import type { ZodType, z } from 'zod';
import { type AppError, parseInput, validationFailed } from '../errors/index.ts';
import { monotonicMs } from '../time/index.ts';
import { payloadTooLarge } from './body-limits.ts';
import { checkJsonShape } from './check-json-shape.ts';
import { checkJson } from './check-text.ts';

/** Limits of a pause within a body, and of the whole body. */
const IDLE_MS = 10_000;
const TOTAL_MS = 30_000;

/**
 * Reads a body of at most `limitBytes`: 413 as soon as `Content-Length` or the bytes exceed it, 422 if it is slow or ends early.
 * express.json() would read an oversized body to its end before it responds.
 */
export function readBody(req: IncomingMessage, limitBytes: number): Promise<Buffer> {
  if (Number(req.headers['content-length']) > limitBytes) return Promise.reject(payloadTooLarge(limitBytes));
  return new Promise((resolve, reject) => {
    const body = growingBuffer();
    const startedMs = monotonicMs();

    const stop = (): void => {
      req.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      req.setTimeout(0);
    };
    const fail = (error: AppError): void => {
      stop();
      req.pause();
      reject(error);
    };
    const onData = (chunk: Buffer): void => {
      if (body.size() + chunk.length > limitBytes) fail(payloadTooLarge(limitBytes));
      else if (monotonicMs() - startedMs > TOTAL_MS) fail(timedOut());
      else body.append(chunk);
    };
    const onIdle = (): void => fail(timedOut());
    const onClose = (): void => fail(badBody('invalid_format', 'The body ended too early'));
    const onEnd = (): void => {
      stop();
      resolve(body.bytes());
    };
    req.on('data', onData).once('end', onEnd).once('close', onClose).once('error', onClose);
    req.setTimeout(IDLE_MS, onIdle);
  });
}

const FIRST_BYTES = 4 * 1024;

/**
 * Copies chunks into one buffer that doubles when it is full. A list of chunks, each with the whole read buffer of its socket, would
 * be many times the size of a body that arrives byte by byte.
 */
function growingBuffer(): { append(chunk: Buffer): void; size(): number; bytes(): Buffer } {
  let buffer: Buffer = Buffer.alloc(0);
  let size = 0;
  return {
    append: (chunk) => {
      // Most bodies are one chunk, which needs no copy.
      if (size === 0) buffer = chunk;
      else {
        if (size + chunk.length > buffer.length) {
          const larger = Buffer.allocUnsafe(Math.max(FIRST_BYTES, 2 * buffer.length, size + chunk.length));
          buffer.copy(larger, 0, 0, size);
          buffer = larger;
        }
        chunk.copy(buffer, size);
      }
      size += chunk.length;
    },
    size: () => size,
    bytes: () => buffer.subarray(0, size),
  };
}

/** Parses a JSON object; no body is `{}`. 422 for anything else, and for too many values or levels [trust.2]. `__proto__` is an ordinary key. */
export function parseJsonObject(bytes: Buffer): Record<string, unknown> {
  if (bytes.length === 0) return {};
  checkJsonShape(bytes);
  const { text, value } = parseJson(bytes);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badBody('invalid_type', 'The body must be a JSON object');
  }
  checkJson(value, text);
  return value as Record<string, unknown>;
}

/** The bytes of a body as an endpoint receives them: parsed, bounded and validated by `schema`. */
export function readJsonBody<S extends ZodType>(bytes: Buffer, schema: S): z.output<S> {
  return parseInput(schema, parseJsonObject(bytes));
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function parseJson(bytes: Buffer): { text: string; value: unknown } {
  try {
    const text = utf8.decode(bytes);
    return { text, value: JSON.parse(text) };
  } catch (cause) {
    throw badBody('invalid_format', 'The body is not valid JSON', cause);
  }
}

function timedOut(): AppError {
  return badBody('invalid_format', 'The body did not arrive in time');
}

/** `422 VALIDATION_FAILED` for a body as a whole. */
export function badBody(code: ErrorDetailCode, message: string, cause?: unknown): AppError {
  return validationFailed([{ path: '', code, message }], cause);
}
