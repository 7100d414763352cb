import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { ErrorDetailCode } from '@parley/contracts';
import express, { type Request, type Response } from 'express';
import { AppError, validationFailed } from '../errors/index.ts';
import { payloadTooLarge } from './body-limits.ts';
import { checkJsonShape } from './check-json-shape.ts';
import { checkJson } from './check-text.ts';
import { openJsonBody } from './open-body.ts';

type JsonBody = { value: Record<string, unknown>; bytes: Buffer };

type ReadJson = (req: IncomingMessage, res: Response) => Promise<JsonBody>;

/**
 * Makes the reader of JSON objects of at most `limitBytes`; no body is `{}`. 413 as soon as `Content-Length` or the bytes exceed the limit,
 * 422 for anything but an object and for too many values or levels [trust.2], which are counted before parsing. `__proto__` is an
 * ordinary key. Other content types than JSON's are read as JSON too.
 */
export function createReadJson(limitBytes: number): ReadJson {
  const parse = express.json({
    limit: limitBytes,
    strict: false,
    type: () => true,
    verify: (source, _res, bytes) => {
      (source as unknown as Source).bytes = bytes;
      if (!isUtf8(bytes)) throw notJson();
      checkJsonShape(bytes);
    },
  });

  return (req, res) =>
    new Promise((resolve, reject) => {
      const { 'content-length': length, 'transfer-encoding': coding } = req.headers;
      // express.json() would read the rest of a rejected request before it reports the error; of another Readable there is none.
      const source: Source = Object.assign(openJsonBody(req), {
        headers: { 'content-length': length, 'transfer-encoding': coding },
      });
      parse(source as unknown as Request, res, (err?: unknown) => {
        source.destroy();
        if (err !== undefined) return reject(toAppError(err, limitBytes));
        try {
          resolve(toJsonBody(source));
        } catch (problem) {
          reject(problem);
        }
      });
    });
}

type Source = ReturnType<typeof openJsonBody> & { headers: object; body?: unknown; bytes?: Buffer };

function toJsonBody({ body: value = {}, bytes = Buffer.alloc(0) }: Source): JsonBody {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badBody('invalid_type', 'The body must be a JSON object');
  // The escapes that it looks for are ASCII.
  checkJson(value, bytes.toString('latin1'));
  return { value: value as Record<string, unknown>, bytes };
}

function toAppError(err: unknown, limitBytes: number): unknown {
  if (err instanceof AppError) return err;
  const { type } = err as { type?: string };
  if (type === 'entity.too.large') return payloadTooLarge(limitBytes);
  return type === 'entity.parse.failed' ? notJson() : err;
}

function notJson(): AppError {
  return badBody('invalid_format', 'The body is not valid JSON');
}

function badBody(code: ErrorDetailCode, message: string): AppError {
  return validationFailed([{ path: '', code, message }]);
}
