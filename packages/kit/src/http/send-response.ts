import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { type AnyEndpoint, ERROR_STATUS } from '@parley/contracts';
import { type ZodType, z } from 'zod';
import { toHttpError } from '../errors/index.ts';
import { disconnect } from './client-gone.ts';
import type { BodyResponse, ListPage } from './handler.ts';

/** Validates a result by the contract and serializes it with its envelope. */
export type Render = (value: unknown) => string;

/**
 * The serializer of an endpoint's responses. A value that violates the contract is never sent: it throws, which is a 500. Fields that
 * the contract doesn't have are omitted.
 */
export function createRender(endpoint: AnyEndpoint): Render {
  const { envelope, response, id } = endpoint;
  if (envelope === 'none' || !response) return () => '';
  const schema = envelope === 'list' ? z.array(response) : response;
  const parse = (value: unknown) => validated(schema, value, id);
  if (envelope === 'bare') return (value) => JSON.stringify(parse(value));
  if (envelope === 'data') return (value) => JSON.stringify({ success: true, data: parse(value) });
  return (value) => {
    const { items, total, nextCursor } = value as ListPage<unknown>;
    const pagination = { total, count: items.length, next_cursor: nextCursor };
    return JSON.stringify({ success: true, data: parse(items), pagination });
  };
}

/** The part of a response of the endpoint `id` that the schema has; throws if it violates it. */
export function validated(schema: ZodType, value: unknown, id: string): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new Error(`the response of ${id} violates its contract`, { cause: result.error });
}

/** Sends a JSON text; an empty body for 204 and bare statuses. */
export function sendJson(
  res: ServerResponse,
  status: number,
  body: string,
  headers: Record<string, string> = {},
): void {
  const bytes = Buffer.from(body);
  if (body !== '') res.setHeader('content-type', 'application/json; charset=utf-8');
  if (status !== 204) res.setHeader('content-length', bytes.length);
  res.writeHead(status, headers);
  res.end(bytes);
}

/**
 * Sends a response that isn't JSON of the contract. A stream that fails half-way closes the connection. `runEach` reads the pieces of
 * an async iterable.
 */
export function sendRaw(
  res: ServerResponse,
  status: number,
  response: BodyResponse,
  runEach: (pieces: AsyncIterable<string>) => AsyncIterable<string>,
): void {
  res.setHeader('content-type', response.contentType);
  res.writeHead(response.status ?? status, response.headers);
  if (typeof response.body === 'string' || response.body instanceof Uint8Array) {
    res.end(response.body);
    return;
  }
  const body =
    response.body instanceof Readable
      ? response.body
      : Readable.from(runEach(response.body), { objectMode: false });
  body.once('error', () => disconnect(res));
  // The client disconnected before the handler had its result: no event follows.
  if (res.closed) {
    body.destroy();
    return;
  }
  res.once('close', () => body.destroy());
  body.pipe(res);
}

/**
 * Sends an error: the envelope, or for legacy routes the bare status. Returns what was sent.
 */
export function sendError(
  res: ServerResponse,
  err: unknown,
  legacy: boolean,
): { status: number; code: string } {
  const { status, body, headers } = toHttpError(err);
  sendJson(res, status, legacy ? '' : JSON.stringify(body), headers);
  const error = 'error' in body ? (body.error as { code?: string }) : undefined;
  return { status, code: error?.code ?? codeOf(status) };
}

function codeOf(status: number): string {
  return Object.entries(ERROR_STATUS).find(([, of]) => of === status)?.[0] ?? 'INTERNAL_ERROR';
}
