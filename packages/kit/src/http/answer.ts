import type { ServerResponse } from 'node:http';
import { type AnyEndpoint, ERROR_STATUS } from '@parley/contracts';
import { type ZodType, z } from 'zod';
import { toHttpError } from '../errors/index.ts';
import type { BodyAnswer, ListAnswer } from './handler.ts';

/** Checks an answer against the contract and serialises it with its envelope. */
export type Render = (value: unknown) => string;

/**
 * The serialiser of an endpoint's answers (spec: Conventions). A value that breaks the contract throws what ends as a 500:
 * it is never sent. Fields that the contract doesn't know are left out.
 */
export function createRender(endpoint: AnyEndpoint): Render {
  const { envelope, response, id } = endpoint;
  if (envelope === 'none' || !response) return () => '';
  const parse = strictly(envelope === 'list' ? z.array(response) : response, id);
  if (envelope === 'bare') return (value) => JSON.stringify(parse(value));
  if (envelope === 'data') return (value) => JSON.stringify({ success: true, data: parse(value) });
  return (value) => {
    const { items, total, nextCursor } = value as ListAnswer<unknown>;
    const pagination = { total, count: items.length, next_cursor: nextCursor };
    return JSON.stringify({ success: true, data: parse(items), pagination });
  };
}

function strictly(schema: ZodType, id: string): (value: unknown) => unknown {
  return (value) => {
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    throw new Error(`the answer of ${id} breaks its contract`, { cause: result.error });
  };
}

/** Sends exactly these bytes as JSON; an empty body for 204 and bare statuses. */
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

/** Sends an answer that isn't JSON of the contract. A stream that breaks half-way breaks the connection. */
export function sendRaw(res: ServerResponse, status: number, answer: BodyAnswer): void {
  res.setHeader('content-type', answer.contentType);
  res.writeHead(answer.status ?? status, answer.headers);
  const { body } = answer;
  if (typeof body === 'string' || body instanceof Uint8Array) {
    res.end(body);
    return;
  }
  body.once('error', (err) => res.destroy(err));
  res.once('close', () => body.destroy());
  body.pipe(res);
}

/**
 * Answers with an error (spec: Errors): the envelope, or for legacy routes the bare status (D1.3).
 * Returns what was sent.
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
