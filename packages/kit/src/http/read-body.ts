import type { IncomingMessage } from 'node:http';
import type { ErrorDetailCode } from '@parley/contracts';
import { type AppError, validationFailed } from '../errors/index.ts';
import { monotonicMs } from '../time/index.ts';
import { payloadTooLarge } from './body-limits.ts';
import { checkJson } from './check-text.ts';

/** A body that stops coming, or drips, is given up. */
const IDLE_MS = 10_000;
const TOTAL_MS = 30_000;

/**
 * All bytes of a body, up to `limitBytes` (413 as soon as more is announced or arrives).
 * express.json() isn't used: it reads an oversized body to its end before it answers.
 */
export function readBody(req: IncomingMessage, limitBytes: number): Promise<Buffer> {
  if (Number(req.headers['content-length']) > limitBytes) return Promise.reject(payloadTooLarge(limitBytes));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const startedMs = monotonicMs();
    let size = 0;

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
      size += chunk.length;
      if (size > limitBytes) fail(payloadTooLarge(limitBytes));
      else if (monotonicMs() - startedMs > TOTAL_MS) fail(late());
      else chunks.push(chunk);
    };
    const onIdle = (): void => fail(late());
    const onClose = (): void => fail(badBody('invalid_format', 'The body ended too early'));
    const onEnd = (): void => {
      stop();
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size));
    };
    req.on('data', onData).once('end', onEnd).once('close', onClose).once('error', onClose);
    req.setTimeout(IDLE_MS, onIdle);
  });
}

/** The JSON object in a body (D1.2); no body at all reads as `{}`. Keys such as `__proto__` stay plain data (D1.8). */
export function parseJsonObject(bytes: Buffer): Record<string, unknown> {
  if (bytes.length === 0) return {};
  const { text, value } = parseJson(bytes);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badBody('invalid_type', 'The body must be a JSON object');
  }
  checkJson(value, text);
  return value as Record<string, unknown>;
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

function late(): AppError {
  return badBody('invalid_format', 'The body did not arrive in time');
}

/** `422 VALIDATION_FAILED` for a body as a whole (D1.1). */
export function badBody(code: ErrorDetailCode, message: string, cause?: unknown): AppError {
  return validationFailed([{ path: '', code, message }], cause);
}
