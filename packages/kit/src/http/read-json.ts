import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { ErrorDetailCode } from '@parley/contracts';
import { type AppError, validationFailed } from '../errors/index.ts';
import { payloadTooLarge } from './body-limits.ts';
import { checkJsonShape } from './check-json-shape.ts';
import { checkJson } from './check-text.ts';
import { openJsonBody } from './open-body.ts';

type JsonBody = { value: Record<string, unknown>; bytes: Buffer };

/** Runs the parsing of a body of this size, perhaps after others. */
type RunParse = (bytes: number, parse: () => JsonBody) => Promise<JsonBody>;

type ReadJson = (req: IncomingMessage, runParse?: RunParse) => Promise<JsonBody>;

/**
 * Makes the reader of JSON objects of at most `limitBytes`; no body is `{}`. 413 as soon as `Content-Length` or the bytes exceed the limit,
 * 422 for anything but an object and for too many values or levels [trust.2], which are counted before parsing. `__proto__` is an
 * ordinary key. Other content types than JSON's are read as JSON too.
 */
export function createReadJson(limitBytes: number): ReadJson {
  return async (req, runParse = async (_bytes, parse) => parse()) => {
    const bytes = await readBytes(req, limitBytes);
    return runParse(bytes.length, () => parseBody(bytes));
  };
}

/** A whole body of at most `limitBytes`: 413 beyond, 408 if it arrives too slowly, 415 for a compressed one and for other charsets. */
export async function readBytes(req: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const body = openJsonBody(req);
  try {
    if (Number(req.headers['content-length']) > limitBytes) throw payloadTooLarge(limitBytes);
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > limitBytes) throw payloadTooLarge(limitBytes);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks, length);
  } finally {
    body.destroy();
  }
}

function parseBody(bytes: Buffer): JsonBody {
  if (bytes.length === 0) return { value: {}, bytes };
  if (!isUtf8(bytes)) throw notJson();
  checkJsonShape(bytes);
  const value = parse(bytes);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badBody('invalid_type', 'The body must be a JSON object');
  // The escapes that it looks for are ASCII.
  checkJson(value, bytes.toString('latin1'));
  return { value: value as Record<string, unknown>, bytes };
}

/** Drops a byte order mark. */
const utf8 = new TextDecoder();

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    throw notJson();
  }
}

function notJson(): AppError {
  return badBody('invalid_format', 'The body is not valid JSON');
}

function badBody(code: ErrorDetailCode, message: string): AppError {
  return validationFailed([{ path: '', code, message }]);
}
